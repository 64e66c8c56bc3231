-- _check_breaker returns why the breaker stops a run that is about to start (message). It is NULL
-- if the breaker does not.
-- The function counts due rows only as far as the decision needs. It evaluates guards and holds
-- only if the run would trip without them. If the table is too small to trip, it looks for one due
-- row, unless the last run took rows. Then due is 0 if there is none, and NULL otherwise.
-- It uses up an acceptance for the run's scope, even if the run did not need one.
CREATE OR REPLACE FUNCTION retention._check_breaker(
    p_run retention.run, p_policy retention.policy, p_took_rows boolean, OUT due bigint, OUT breaker_limit bigint,
    OUT message text)
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET intervalstyle = 'postgres' AS $function$
DECLARE
    v_scope CONSTANT text := retention._scope_text(p_run.scope);
    v_given CONSTANT text[] := (SELECT string_to_array(s.value, ' ') FROM retention.setting s
                                WHERE (s.policy, s.name, s.scope) = (p_policy.name, 'accepted', v_scope));
    v_accepted CONSTANT bigint := CASE WHEN v_given[1] = p_policy.hash
        THEN coalesce(v_given[2]::bigint, 9223372036854775807) END;
    v_most CONSTANT bigint := least(p_policy.budget_rows, CASE WHEN p_policy.breaker_rows IS NOT NULL
        THEN nullif(greatest(p_policy.breaker_rows, v_given[2]::bigint), 9223372036854775807) + 1 END);
    v_room CONSTANT bigint := (  -- a row takes at least 28 bytes of a heap (pg_am.oid 2)
        SELECT pg_relation_size(c.oid) / 28 FROM pg_class c WHERE c.oid = retention._table(p_policy.table_name)
            AND c.relkind = 'r' AND c.relam = 2 AND NOT p_policy.partitions);
    v_allowed boolean; v_uncounted text; v_context text; v_guarded boolean := false;
BEGIN
    IF v_given IS NOT NULL THEN
        PERFORM retention._change_setting(p_policy.name, 'accepted', NULL, format('for run %s', p_run.id), v_scope);
    END IF;
    breaker_limit := retention._breaker_limit(p_policy, 0);
    v_allowed := breaker_limit IS NULL OR least(p_policy.budget_rows, v_room) <= breaker_limit;
    IF p_policy.passes @? '$[*].groups' THEN
        WITH found AS (
            INSERT INTO retention.run_group
            SELECT r.id, e.n, l.n, x.key, x.surplus
            FROM retention.run r CROSS JOIN jsonb_array_elements(p_policy.passes) WITH ORDINALITY e (pass, n)
            CROSS JOIN LATERAL retention._query_as_worker(
                format('SELECT to_jsonb(g) FROM retention.%I(jsonb_populate_record(NULL::retention.batch_range, $1)) g',
                       p_policy.name || '_groups'),
                to_jsonb(r) || jsonb_build_object('run_id', r.id, 'pass', e.n), p_policy.name) WITH ORDINALITY l (l, n)
            CROSS JOIN LATERAL jsonb_to_record(l.l) x (key text[], surplus bigint)
            WHERE r.id = p_run.id AND e.pass ? 'groups' RETURNING surplus
        )
        SELECT CASE WHEN NOT p_policy.passes @? '$[*] ? (!exists(@.groups))' THEN coalesce(sum(f.surplus), 0) END
        INTO due FROM found f;  -- NULL if a pass has no groups
    END IF;
    BEGIN
        IF v_allowed AND p_took_rows THEN
            RETURN;
        ELSIF v_allowed THEN
            due := coalesce(due, nullif(retention._due(
                p_policy.name, p_run.as_of, 1, false, p_run.scope, p_run.older_than), 1));
            RETURN;
        END IF;
        due := coalesce(due, retention._due(
            p_policy.name, p_run.as_of, v_most, false, p_run.scope, p_run.older_than));
        breaker_limit := retention._breaker_limit(p_policy, least(due, p_policy.budget_rows));
        IF least(due, p_policy.budget_rows) > breaker_limit THEN
            v_guarded := true;
            due := retention._due(
                p_policy.name, p_run.as_of, v_most, true, p_run.scope, p_run.older_than);
            breaker_limit := retention._breaker_limit(p_policy, least(due, p_policy.budget_rows));
        END IF;
    EXCEPTION WHEN query_canceled OR assert_failure OR OTHERS THEN
        GET STACKED DIAGNOSTICS v_context = PG_EXCEPTION_CONTEXT;
        IF retention._refused_by(SQLSTATE, v_context, SQLERRM) IS DISTINCT FROM 'row' THEN RAISE; END IF;
        -- A batch would skip the row that raises the error. With limit 0, the statement raises only
        -- errors that no row causes. Since due rows cannot be counted, all rows of the table count.
        PERFORM retention._due(p_policy.name, p_run.as_of, 0, false, p_run.scope, p_run.older_than);
        IF v_allowed THEN RETURN; END IF;
        v_uncounted := format('the rows that are due cannot be counted for the breaker: %s', SQLERRM);
        due := retention._query_as_worker(format('SELECT to_jsonb(count(*)) FROM (SELECT FROM %s LIMIT ($1)::bigint) x',
            retention._table(p_policy.table_name)::regclass), to_jsonb(v_most), p_policy.name);
        breaker_limit := retention._breaker_limit(p_policy, least(due, p_policy.budget_rows));
    END;
    IF least(due, p_policy.budget_rows) > breaker_limit THEN
        IF least(due, p_policy.budget_rows) <= v_accepted THEN
            breaker_limit := v_given[2];
        ELSE
            message := coalesce(v_uncounted, format('%s or more rows are due, the breaker allows %s', due,
                breaker_limit)) || coalesce(', and ' || v_accepted || ' were accepted', '');
        END IF;
    END IF;
    -- If guards keep all rows, due must not be 0: batches read the rows, so that the log says what
    -- keeps them.
    due := CASE WHEN v_uncounted IS NULL AND NOT (v_guarded AND due = 0) THEN due END;
END $function$;
