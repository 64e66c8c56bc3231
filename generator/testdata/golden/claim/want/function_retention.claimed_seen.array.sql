-- as worker
-- Those of many keys of policy claimed that are claimed now, each once: duplicates, which count in the statistics as
-- keys that were asked for, except in a transaction that is read-only.
CREATE OR REPLACE FUNCTION retention.claimed_seen(p_keys character varying[]) RETURNS SETOF character varying
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp SET timezone = 'UTC'
SET datestyle = 'ISO, YMD' SET intervalstyle = 'postgres' SET bytea_output = 'hex' SET extra_float_digits = 1
SET standard_conforming_strings = on SET transform_null_equals = off SET array_nulls = on SET row_security = off
SET jit = off SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $function$
DECLARE
    v_as_of CONSTANT timestamptz := clock_timestamp();
    v_found bigint;
BEGIN
    RETURN QUERY
    SELECT k.key FROM (SELECT DISTINCT x.key FROM unnest(p_keys) AS x(key)) k
    WHERE EXISTS (SELECT FROM app.claimed t WHERE t.hash = k.key
                    AND (t.expires_at < v_as_of AND NOT retention._is_held(t.tableoid, t.ctid, v_as_of)) IS NOT TRUE);
    GET DIAGNOSTICS v_found = ROW_COUNT;
    IF v_found > 0 AND current_setting('transaction_read_only') = 'off' THEN
        PERFORM retention._count_claims('claimed', v_found, 0);
    END IF;
END $function$;

-- to drop it
