-- as owner
-- Says that rows of policy served are in use: sets at of those with one of
-- the keys. NULLs and repetitions do not count. A key that nobody knows
-- changes nothing.
-- Answers how many rows were there and how many are back.
-- Locks: ROW EXCLUSIVE on the table; its rows, in the order of their keys, which it waits for.
DROP FUNCTION IF EXISTS retention.served_touch(bigint[]);
CREATE FUNCTION retention.served_touch(p_keys bigint[], OUT touched bigint, OUT revived bigint)
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, "public", pg_temp
SET timezone = 'UTC'
SET datestyle = 'ISO, YMD'
SET intervalstyle = 'postgres'
SET row_security = off
SET jit = off
SET enable_seqscan = off
SET enable_hashjoin = off
SET enable_mergejoin = off
AS $function$
#variable_conflict use_column
DECLARE
    v_as_of CONSTANT timestamptz := clock_timestamp();
BEGIN
    revived := 0;
    p_keys := ARRAY(SELECT DISTINCT x.key
                    FROM unnest(p_keys) AS x(key)
                    WHERE x.key IS NOT NULL);

    -- Rows that others hold are waited for here, in one order; the next statement sees them as they
    -- are then, and not those that a run took meanwhile.
    PERFORM FROM "app"."served" t
    WHERE t."id" = ANY (p_keys)
    ORDER BY t."id"
    FOR NO KEY UPDATE OF t;
    UPDATE "app"."served" t
    SET "at" = (v_as_of)
    WHERE t."id" = ANY (p_keys);
    GET DIAGNOSTICS touched = ROW_COUNT;
END
$function$;
REVOKE ALL ON FUNCTION retention.served_touch(bigint[]) FROM PUBLIC;
GRANT USAGE ON SCHEMA retention TO "retention_operator";
GRANT EXECUTE ON FUNCTION retention.served_touch(bigint[])
    TO "retention_operator";
COMMENT ON FUNCTION retention.served_touch(bigint[])
    IS 'pgretain: rows in use, of policy served';

-- to drop it
DROP FUNCTION IF EXISTS retention.served_touch(bigint[]);
