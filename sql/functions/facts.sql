-- What verify asks about the rows of a policy, as JSON: no_clock (rows that never go), ahead, first, last, all_ahead
-- (clocks that lie far ahead), archives (rows of the given runs by table). Counts stop at max_rows, except in archives.
-- Locks nothing.
CREATE OR REPLACE FUNCTION retention.facts(policy text, as_of timestamptz, runs bigint[], max_rows bigint) RETURNS jsonb
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET timezone = 'UTC'
SET datestyle = 'ISO, YMD' SET intervalstyle = 'postgres' SET bytea_output = 'hex' SET extra_float_digits = 1
SET standard_conforming_strings = on SET transform_null_equals = off SET array_nulls = on SET row_security = off
SET jit = off AS $function$
DECLARE
    v_facts CONSTANT jsonb := (retention._known(facts.policy)).facts;
    v_slice CONSTANT retention.slice := retention._slice(facts.as_of);
    v_found jsonb; v_out jsonb := '{}'; v_archive record;
BEGIN
    PERFORM retention._pin();
    IF v_facts ? 'no_clock' THEN
        EXECUTE format('SELECT jsonb_build_object(''no_clock'', count(*)) FROM (SELECT %s WHERE %s LIMIT $2) x',
                       v_facts ->> 'from', v_facts ->> 'no_clock') INTO v_out USING v_slice, max_rows;
    END IF;
    IF v_facts ? 'too_far' THEN
        EXECUTE format('SELECT jsonb_build_object(''ahead'', count(*), ''first'', min(x.clock)::text, ''last'',
            max(x.clock)::text)
                        FROM (SELECT %s AS clock %s WHERE %s LIMIT $2) x', v_facts ->> 'value', v_facts ->> 'from',
                            v_facts ->> 'too_far')
        INTO v_found USING v_slice, max_rows;
        v_out := v_out || v_found;
        IF (v_found ->> 'ahead')::bigint > 0 THEN
            EXECUTE format('SELECT jsonb_build_object(''all_ahead'', NOT EXISTS (SELECT %s WHERE %s))',
                           v_facts ->> 'from', v_facts ->> 'in_time') INTO v_found USING v_slice;
            v_out := v_out || v_found;
        END IF;
    END IF;
    FOR v_archive IN SELECT a.key AS table_name, a.value AS run FROM jsonb_each_text(v_facts -> 'archives') a LOOP
        EXECUTE format('SELECT jsonb_build_object($2, (SELECT coalesce(jsonb_object_agg(x.run, x.n), ''{}'')
                            FROM (SELECT a.%I AS run, count(*) AS n FROM %s a WHERE a.%1$I = ANY ($1) GROUP BY 1) x))',
                       v_archive.run, retention._table(v_archive.table_name)::regclass)
        INTO v_found USING runs, v_archive.table_name;
        v_out := v_out || v_found;
    END LOOP;
    RETURN v_out;
END $function$;
