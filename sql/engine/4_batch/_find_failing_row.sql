-- _find_failing_row returns the first row after lo of p_batch for which <policy>_rows raises an
-- error. It returns the row's position, and its table's OID and ctid. It returns NULL if there is
-- no such row, because a step raised the error. It evaluates the first 1, 2, 4, 8, ... rows of the
-- walk until the error occurs. Then it halves the range that contains the row.
CREATE OR REPLACE FUNCTION retention._find_failing_row(
    p_policy retention.policy, p_batch retention.batch_range, OUT hi jsonb, OUT passed text)
LANGUAGE plpgsql AS $function$
DECLARE
    v_batch retention.batch_range := p_batch; v_cursor CONSTANT record := retention._cursor(p_policy, p_batch);
    v_walk CONSTANT text := format('SELECT jsonb_build_array(%s) AS at, concat(t.tableoid, '' '', t.ctid) AS row
        FROM %s t WHERE %s%s ORDER BY %s OFFSET $2 - 1 LIMIT 1',
        v_cursor.texts, retention._table(p_policy.table_name)::regclass,
        coalesce(p_policy.passes -> (p_batch.pass - 1) ->> 'bound', 'true'), v_cursor.bounds, v_cursor.names);
    v_good bigint := 0; v_bad bigint; v_n bigint := 1; v_at jsonb; v_row text;
    v_context text;
BEGIN
    WHILE v_bad IS NULL OR v_bad - v_good > 1 LOOP
        EXECUTE v_walk INTO v_at, v_row USING v_batch, v_n;
        BEGIN
            v_batch.hi := coalesce(v_at, p_batch.hi);
            EXECUTE format('SELECT count(d.verdict) %s', (retention._cursor(p_policy, v_batch)).rows) USING v_batch;
            EXIT WHEN v_at IS NULL;
            v_good := v_n;
        EXCEPTION WHEN query_canceled OR assert_failure OR OTHERS THEN
            GET STACKED DIAGNOSTICS v_context = PG_EXCEPTION_CONTEXT;
            IF retention._refused_by(SQLSTATE, v_context, SQLERRM) IS DISTINCT FROM 'row' THEN RAISE; END IF;
            v_bad := v_n; hi := v_at; passed := v_row;
        END;
        v_n := CASE WHEN v_bad IS NULL THEN v_n * 2 ELSE (v_good + v_bad) / 2 END;
    END LOOP;
END $function$;
