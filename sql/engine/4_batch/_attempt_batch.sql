-- _attempt_batch executes one batch of a pass and adds its counts to p_next. To the ms of p_next,
-- it adds only the time that the rows took. If it raises an error, nothing of the batch remains.
-- Raises PR005 if something other than a row has changed since the batch began.
-- A batch of one statement waits at most a tenth of lock_timeout for a row. Rows that stay locked
-- are then taken row by row.
-- Types of variables are qualified. PostgreSQL compiles a function without a fixed search_path with
-- the search_path of its first call in a session. Code of a policy may make that call.
CREATE OR REPLACE FUNCTION retention._attempt_batch(
    p_policy retention.policy, p_batch retention.batch_range, p_rows integer, p_skip boolean, p_locked boolean,
    INOUT p_next retention.batch, OUT result retention.batch_result)
LANGUAGE plpgsql AS $function$
DECLARE
    v_before pg_catalog.jsonb; v_own pg_catalog.jsonb; v_stopping pg_catalog.text; v_wait integer;
    v_row pg_catalog.jsonb;
    v_names CONSTANT pg_catalog.text[] := ARRAY(SELECT jsonb_object_keys(p_policy.dependencies));
    v_tables CONSTANT pg_catalog.oid[] := retention._resolve_tables(v_names);
BEGIN
    IF p_policy.reach <> '{}' THEN v_before := retention._changed_rows(p_policy.reach); END IF;
    v_wait := CASE WHEN p_locked THEN p_policy.lock_timeout_ms ELSE greatest(1, p_policy.lock_timeout_ms / 10) END;
    PERFORM set_config('lock_timeout', v_wait::text, true);
    result := retention._batch(p_policy, p_batch, p_rows, p_skip, p_locked);
    -- Checked after the batch, because from then on its locks prevent changes of its tables.
    v_stopping := coalesce(retention._half_upgraded(), (retention._obstacle(p_policy, p_batch.as_of)).message);
    IF v_stopping IS NOT NULL THEN
        RAISE SQLSTATE 'PR005' USING MESSAGE = v_stopping;
    -- A schema or a policy can be replaced despite all locks.
    ELSIF retention._resolve_tables(v_names) <> v_tables
        OR NOT EXISTS (SELECT FROM retention.policy p WHERE (p.name, p.hash) = (p_policy.name, p_policy.hash)) THEN
        RAISE SQLSTATE 'PR005' USING MESSAGE = 'table or policy was changed during the batch';
    -- The batch must have used each condition that holds require now. Some may no longer be needed,
    -- because a hold was released.
    -- Batches of partitions do not use them, but look for held rows themselves.
    ELSIF NOT (p_locked AND p_batch.unheld IS NULL) AND (CASE WHEN p_policy.partitions
        THEN p_batch.unheld = '' AND retention._holds(p_policy.name, p_batch.as_of)
        ELSE (string_to_array(retention._unheld(p_policy, p_batch.as_of), ' AND (EXISTS')
            <@ string_to_array(p_batch.unheld, ' AND (EXISTS')) IS NOT TRUE END) THEN
        RAISE SQLSTATE 'PR005' USING MESSAGE = 'a foreign key or an inheritance leads to a hold since the batch began';
    END IF;
    IF result.outcome = 'locked' THEN RETURN; END IF;
    p_next.mode := CASE WHEN p_locked THEN 'locked' ELSE 'range' END;
    p_next.scanned := p_next.scanned + result.scanned; p_next.taken := p_next.taken + result.taken;
    p_next.contended := p_next.contended + result.contended; p_next.ms := p_next.ms + coalesce(result.ms, 0);
    p_next.kept := retention._add_counts(p_next.kept, result.kept);
    p_next.related := retention._add_counts(p_next.related, result.related);
    IF p_policy.reach <> '{}' THEN
        -- Rows that steps deleted do not count as cascaded, even if a foreign key leads back to
        -- them.
        v_own := coalesce(result.related, '{}') || jsonb_build_object(p_policy.table_name, result.taken);
        v_own := retention._add_counts(v_own, result.undone);
        p_next.cascaded := retention._add_counts(p_next.cascaded, (
            SELECT jsonb_object_agg(c.key, c.n) FROM (
                SELECT a.key, a.value::bigint - coalesce((v_before ->> a.key)::bigint, 0)
                    - coalesce((v_own ->> a.key)::bigint, 0)
                FROM jsonb_each_text(retention._changed_rows(p_policy.reach)) a) c (key, n) WHERE c.n > 0));
    END IF;
    FOR v_row IN SELECT r.value FROM jsonb_array_elements(result.refused) r LOOP
        IF p_next.refused = 0 THEN p_next.sqlstate := v_row ->> 2; p_next.message := v_row ->> 3; END IF;
        IF v_row ->> 0 IS NOT NULL THEN
            p_next := retention._skip_row(p_next, p_policy, v_row ->> 0, v_row ->> 1);
        END IF;
    END LOOP;
    p_next.next_position := result."position";
END $function$;
