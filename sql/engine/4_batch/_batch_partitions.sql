-- _batch_partitions does the work of _batch for a policy on partitions. It checks partitions
-- without locks, oldest first. Then it locks the due partitions against writers (SHARE ROW
-- EXCLUSIVE), rechecks them, and takes them with the locks of the steps.
-- If the first step detaches or drops, a batch takes several partitions, until batch.time is over.
-- It waits for locks of the first one only. It ends before another partition that cannot be locked
-- or raises an error. That partition is the first one of the next batch.
-- If another step comes first, a batch takes one partition. The step may take long, and must not
-- run while the parent is locked.
-- If expressions of the policy decide which partitions are due, they may read other partitions.
-- Then the batch rechecks each partition after it has taken the earlier ones. The parent stays
-- locked meanwhile, so batch.time is 50 ms by default.
CREATE OR REPLACE FUNCTION retention._batch_partitions(
    p_policy retention.policy, p_batch retention.batch_range, p_rows integer, p_skip boolean)
RETURNS retention.batch_result LANGUAGE plpgsql AS $function$
DECLARE
    v_batch retention.batch_range := p_batch; v_call CONSTANT text := retention._rows_call(p_policy);
    v_scan CONSTANT text := format(
        'SELECT coalesce(array_agg(x.rel), ''{}'') AS rels, jsonb_agg(x.at) AS positions FROM (
             SELECT d.rel, jsonb_build_array(d.upper::text, (d.t).schema, (d.t).name) AS at FROM %s
             WHERE $2 IS NULL OR (d.upper, (d.t).schema, (d.t).name) > (($2 ->> 0)::%s, $2 ->> 1, $2 ->> 2)
             ORDER BY d.upper, (d.t).schema, (d.t).name LIMIT $3) x',
        v_call, (
            SELECT format_type(p.proallargtypes[array_position(p.proargnames, 'upper')], NULL) FROM pg_proc p
            WHERE p.oid = to_regprocedure(format('retention.%I(retention.batch_range)', p_policy.name || '_rows'))));
    v_verdicts_query CONSTANT text := format('SELECT jsonb_object_agg(x.rel, x.verdicts) FROM (
        SELECT d.rel, jsonb_agg(d.verdict) AS verdicts FROM %s WHERE d.rel = ANY ($2) GROUP BY d.rel) x', v_call);
    v_several CONSTANT boolean := p_policy.steps @? '$[0] ? (@.verb == "detach" || @.verb == "drop")';
    v_time interval; v_until timestamptz;
    v_wait CONSTANT text := current_setting('lock_timeout');
    v_rels oid[]; v_positions jsonb; v_size integer; v_verdicts jsonb; v_verdict jsonb; v_kept text[] := '{}';
    v_locked boolean := false; v_taken retention.take_result;
    v_out retention.batch_result := ROW('last', 0, 0, '{}', 0, '{}', p_batch.lo, NULL, NULL, NULL, NULL);
BEGIN
    v_batch.rels := '{}';  -- the scan evaluates no guard
    EXECUTE v_scan INTO v_rels, v_positions USING v_batch, p_batch.lo, CASE WHEN p_batch.prove THEN 0 ELSE p_rows END;
    IF p_batch.prove THEN
        v_batch.tids := '{}';
        EXECUTE format('SELECT * FROM retention.%I($1)', p_policy.name || '_take') INTO v_taken USING v_batch;
        v_out.taken := coalesce(v_taken.taken, 0); v_out.related := v_taken.related;
        RETURN v_out;
    ELSIF p_skip AND v_rels <> '{}' THEN
        v_out.outcome := 'some'; v_out.scanned := 1; v_out."position" := v_positions -> 0;
        RETURN v_out;
    END IF;
    v_size := CASE WHEN v_several AND p_policy.passes -> 0 ? 'together' THEN cardinality(v_rels) ELSE 1 END;
    v_time := coalesce(p_policy.batch_time_ms, CASE v_size WHEN 1 THEN 50 END) * interval '1 ms';
    v_until := clock_timestamp() + v_time;
    FOR v_n IN 1 .. cardinality(v_rels) LOOP
        EXIT WHEN v_size = 1 AND '' = ANY (v_kept) AND (NOT v_several OR clock_timestamp() > v_until);
        IF v_size = 1 OR v_n = 1 THEN
            BEGIN
                EXECUTE v_verdicts_query INTO v_verdicts USING p_batch, v_rels[v_n:v_n + v_size - 1];
            EXCEPTION WHEN OTHERS THEN
                IF v_n = 1 THEN RAISE; END IF;
                EXIT;
            END;
        END IF;
        v_verdict := v_verdicts -> v_rels[v_n]::text;
        -- What keeps the partition may go with those before it.
        EXIT WHEN v_size = 1 AND '' = ANY (v_kept) AND v_verdict ->> 0 IS NOT NULL;
        v_kept := v_kept || coalesce(v_verdict ->> 0, '');  -- '' if the partition may be taken
    END LOOP;
    v_rels := v_rels[:cardinality(v_kept)]; v_verdicts := NULL;
    FOR v_n IN 1 .. cardinality(v_rels) LOOP
        CONTINUE WHEN v_kept[v_n] <> '';
        BEGIN
            PERFORM set_config('lock_timeout', CASE WHEN v_locked THEN '1ms' ELSE v_wait END, true);
            EXECUTE format('SELECT retention.%I($1, ''lock'')', p_policy.name || '_partition')
            USING v_rels[v_n];  -- from here on no session can write into it
            v_locked := true;
        EXCEPTION WHEN OTHERS THEN
            IF v_n = 1 THEN RAISE; END IF;
            v_rels := v_rels[:v_n - 1];
            EXIT;
        END;
    END LOOP;
    v_until := clock_timestamp() + v_time;
    FOR v_n IN 1 .. cardinality(v_rels) LOOP
        BEGIN
            IF v_kept[v_n] = '' THEN
                EXIT WHEN v_out.taken > 0 AND clock_timestamp() > v_until;
                PERFORM set_config('lock_timeout', CASE WHEN v_out.taken > 0 THEN '1ms' ELSE v_wait END, true);
                IF v_size = 1 OR v_verdicts IS NULL THEN
                    EXECUTE v_verdicts_query INTO v_verdicts USING p_batch, v_rels[v_n:v_n + v_size - 1];
                END IF;
                v_verdict := v_verdicts -> v_rels[v_n]::text;  -- NULL if the partition is no longer due
                v_kept[v_n] := coalesce(v_verdict ->> 0, '');
                IF v_kept[v_n] = '' AND jsonb_array_length(v_verdict) > 1 THEN
                    RAISE SQLSTATE 'PR005' USING MESSAGE = format(
                        'a join found more than one row for a partition of "%s"', p_policy.table_name);
                ELSIF v_kept[v_n] = '' AND v_verdict IS NOT NULL THEN
                    v_batch.rels := v_rels[v_n:v_n]; v_batch.tids := ARRAY['(0,0)'::tid];
                    EXECUTE format('SELECT * FROM retention.%I($1)', p_policy.name || '_take')
                    INTO v_taken USING v_batch;
                    v_out.taken := v_out.taken + coalesce(v_taken.taken, 0);
                    v_out.related := retention._add_counts(v_out.related, v_taken.related);
                END IF;
            END IF;
        EXCEPTION WHEN OTHERS THEN
            EXIT WHEN v_n > 1;
            IF SQLSTATE <> 'PR006' THEN RAISE; END IF;
            -- Another session has locked the parent.
            PERFORM set_config('lock_timeout', v_wait, true);
            v_out.outcome := 'locked';
            RETURN v_out;
        END;
        v_out.outcome := 'some'; v_out.scanned := v_n; v_out."position" := v_positions -> (v_n - 1);
        IF v_kept[v_n] <> '' THEN
            v_out.kept := retention._add_counts(v_out.kept, jsonb_build_object(rtrim(v_kept[v_n], '?'), 1));
        END IF;
    END LOOP;
    PERFORM set_config('lock_timeout', v_wait, true);
    IF v_out.scanned = cardinality(v_rels) AND v_out.scanned < p_rows THEN  -- another one may be due by now
        v_batch.rels := '{}'; v_batch.tids := NULL;
        EXECUTE v_scan INTO v_rels, v_positions USING v_batch, v_out."position", 1;
        IF v_rels = '{}' THEN v_out.outcome := 'last'; END IF;
    END IF;
    RETURN v_out;
END $function$;
