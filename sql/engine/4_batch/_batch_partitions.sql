-- _batch_partitions does the work of _batch for a policy on partitions. A batch takes one
-- partition. The function checks the partitions without locks, oldest first. It locks the first due
-- partition against writers (SHARE ROW EXCLUSIVE) and rechecks it. Then it takes the partition with
-- the locks of the steps.
CREATE OR REPLACE FUNCTION retention._batch_partitions(
    p_policy retention.policy, p_batch retention.batch_range, p_rows integer, p_skip boolean)
RETURNS retention.batch_result LANGUAGE plpgsql AS $function$
DECLARE
    v_batch retention.batch_range := p_batch;
    v_call CONSTANT text := retention._rows_call(p_policy);
    v_verdict_query CONSTANT text := format('SELECT d.verdict FROM %s WHERE d.rel = $2', v_call);
    v_taken retention.take_result; v_rel oid; v_at jsonb; v_verdicts text[];
    v_out retention.batch_result := ROW('last', 0, 0, '{}', 0, '{}', p_batch.lo, NULL);
BEGIN
    FOR v_rel, v_at IN EXECUTE format(
        'SELECT d.rel, jsonb_build_array(d.upper::text, (d.t).schema, (d.t).name) AS at FROM %s
         WHERE $2 IS NULL OR (d.upper, (d.t).schema, (d.t).name) > (($2 ->> 0)::%s, $2 ->> 1, $2 ->> 2)
         ORDER BY d.upper, (d.t).schema, (d.t).name LIMIT $3',
        v_call, (
            SELECT format_type(p.proallargtypes[array_position(p.proargnames, 'upper')], NULL) FROM pg_proc p
            WHERE p.oid = to_regprocedure(format('retention.%I(retention.batch_range)', p_policy.name || '_rows'))))
        USING v_batch, p_batch.lo, CASE WHEN p_batch.prove THEN 0 ELSE p_rows END
    LOOP
        v_out.outcome := 'some'; v_out.scanned := v_out.scanned + 1; v_out."position" := v_at;
        EXIT WHEN p_skip;
        EXECUTE format('SELECT ARRAY(%s)', v_verdict_query) INTO v_verdicts USING v_batch, v_rel;
        IF v_verdicts[1] IS NULL THEN  -- from here on no session can write into it
            EXECUTE format('SELECT retention.%I($1, ''lock'')', p_policy.name || '_partition') USING v_rel;
            EXECUTE format('SELECT ARRAY(%s)', v_verdict_query) INTO v_verdicts USING v_batch, v_rel;
            CONTINUE WHEN v_verdicts = '{}';
        END IF;
        IF v_verdicts[1] IS NOT NULL THEN
            v_out.kept := retention._add_counts(v_out.kept, jsonb_build_object(rtrim(v_verdicts[1], '?'), 1));
            CONTINUE;
        ELSIF cardinality(v_verdicts) > 1 THEN
            RAISE SQLSTATE 'PR005' USING
                MESSAGE = format('a join found more than one row for a partition of "%s"', p_policy.table_name);
        END IF;
        v_batch.rels := ARRAY[v_rel]; v_batch.tids := ARRAY['(0,0)'::tid];
        EXIT;
    END LOOP;
    IF v_batch.rels IS NOT NULL OR p_batch.prove THEN
        v_batch.tids := coalesce(v_batch.tids, '{}');
        EXECUTE format('SELECT * FROM retention.%I($1)', p_policy.name || '_take') INTO v_taken USING v_batch;
        v_out.taken := coalesce(v_taken.taken, 0); v_out.related := v_taken.related;
    END IF;
    RETURN v_out;
EXCEPTION WHEN SQLSTATE 'PR006' THEN  -- another session has locked a parent; all is undone
    v_out := ROW('locked', 0, 0, '{}', 0, '{}', p_batch.lo, NULL);
    RETURN v_out;
END $function$;
