-- as worker
-- Says that rows of policy served are in use: sets at of those with one of the keys, in the order of these.
-- NULLs and repetitions do not count. Answers how many rows were there and are back.
CREATE OR REPLACE FUNCTION retention.served_touch(p_keys bigint[], OUT touched bigint, OUT revived bigint)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp SET timezone = 'UTC'
SET datestyle = 'ISO, YMD' SET intervalstyle = 'postgres' SET bytea_output = 'hex' SET extra_float_digits = 1
SET standard_conforming_strings = on SET transform_null_equals = off SET array_nulls = on SET row_security = off
SET jit = off SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $function$
#variable_conflict use_column
DECLARE
    v_as_of CONSTANT timestamptz := clock_timestamp();
    v_rels oid[];
    v_tids tid[];
BEGIN
    touched := 0;
    revived := 0;
    p_keys := ARRAY(SELECT DISTINCT x.key FROM unnest(p_keys) AS x(key) WHERE x.key IS NOT NULL ORDER BY 1);

    -- Rows that others hold are waited for here, in one order; the next statement sees them as they
    -- are then. It keeps to them: one that came meanwhile would be locked out of the order.
    SELECT array_agg(l.rel), array_agg(l.tid) INTO v_rels, v_tids
    FROM (SELECT t.tableoid AS rel, t.ctid AS tid FROM app.served t WHERE t.id = ANY (p_keys) ORDER BY t.id
          FOR NO KEY UPDATE OF t) l;
    UPDATE app.served t SET at = (v_as_of) WHERE t.ctid = ANY (v_tids);
    GET DIAGNOSTICS touched = ROW_COUNT;
END $function$;

-- to drop it
