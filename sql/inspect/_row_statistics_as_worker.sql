-- _row_statistics_as_worker evaluates row_statistics() as the worker, with the policy's facts from
-- the registry.
CREATE OR REPLACE FUNCTION retention._row_statistics_as_worker(
    p_policy text, p_as_of timestamptz, p_runs bigint[], p_max_rows bigint) RETURNS jsonb
LANGUAGE plpgsql STABLE AS $function$
DECLARE
    v_policy CONSTANT retention.policy := retention._get_policy(p_policy); v_facts CONSTANT jsonb := v_policy.facts;
    v_value CONSTANT text := coalesce(v_facts ->> 'value', v_facts ->> 'clock');
    v_at CONSTANT text := coalesce(v_facts ->> 'at', v_value);
    v_rows CONSTANT text := coalesce(
        v_policy.joined, format('FROM %s t', retention._table(v_policy.table_name)::regclass))
        || ' WHERE ' || coalesce((v_facts ->> 'where') || ' AND ', '') || v_at;
    v_batch CONSTANT retention.batch_range := retention._batch_range(p_as_of);
    v_found jsonb; v_out jsonb := '{}'; v_archive record;
BEGIN
    IF v_facts ? 'nulls' THEN
        EXECUTE format('SELECT jsonb_build_object(''no_clock'', count(*)) FROM (SELECT %s IS NULL LIMIT $2) x', v_rows)
        INTO v_out USING v_batch, p_max_rows;
    END IF;
    IF v_facts ? 'ahead' THEN
        EXECUTE format('SELECT jsonb_build_object(''ahead'', count(*), ''first'', min(x.clock)::text, ''last'',
                            max(x.clock)::text)
                        FROM (SELECT %s AS clock %s > %s LIMIT $2) x', v_value, v_rows, v_facts ->> 'ahead')
        INTO v_found USING v_batch, p_max_rows;
        v_out := v_out || v_found;
        IF (v_found ->> 'ahead')::bigint > 0 THEN
            EXECUTE format('SELECT jsonb_build_object(''all_ahead'', NOT EXISTS (SELECT %s <= %s))', v_rows,
                v_facts ->> 'ahead')
            INTO v_found USING v_batch;
            v_out := v_out || v_found;
        END IF;
    END IF;
    FOR v_archive IN SELECT a.key AS table_name, a.value AS run FROM jsonb_each_text(v_facts -> 'archives') a LOOP
        EXECUTE format('SELECT jsonb_build_object($2, (SELECT coalesce(jsonb_object_agg(x.run, x.n), ''{}'')
                            FROM (SELECT a.%I AS run, count(*) AS n FROM %s a WHERE a.%1$I = ANY ($1) GROUP BY 1) x))',
                       v_archive.run, retention._table(v_archive.table_name)::regclass)
        INTO v_found USING p_runs, v_archive.table_name;
        v_out := v_out || v_found;
    END LOOP;
    RETURN v_out;
END $function$;
