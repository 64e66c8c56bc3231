-- as owner
-- How PostgreSQL would find the rows of the batches of policy items: the statements of its batch functions
-- as SELECT, planned with their settings and never run. For the verifier, through retention._plans().
-- Locks: ACCESS SHARE on the table, as planning any SELECT does.
CREATE OR REPLACE FUNCTION retention.items_plan(OUT batch text, OUT plan json)
RETURNS SETOF record
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, public, pg_temp
SET timezone = 'UTC'
SET datestyle = 'ISO, YMD'
SET intervalstyle = 'postgres'
SET bytea_output = 'hex'
SET extra_float_digits = 1
SET standard_conforming_strings = on
SET transform_null_equals = off
SET array_nulls = on
SET row_security = off
SET jit = off
SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off
SET enable_bitmapscan = off
AS $function$
DECLARE
    v_in CONSTANT retention.batch_input := ROW(
        clock_timestamp(), 0, NULL, NULL, (SELECT CASE WHEN p.batch_time_ms IS NULL THEN p.batch_rows ELSE least(p.batch_rows, 5000) END FROM retention.policy p WHERE p.name = 'items'),
        false, NULL, NULL, '{}', false);
    v_as_of CONSTANT timestamptz := v_in.as_of;
BEGIN
    batch := 'items_batch';  -- for all values
    PREPARE pgretain_plan (timestamptz, bigint, timestamptz, timestamptz, bigint, integer) AS
    WITH boundary AS MATERIALIZED (
        SELECT b.* FROM (
            (SELECT t.made_at AS c1, t.id AS c2, $6::bigint AS scanned, false AS last
             FROM app.note t
             WHERE t.made_at < $4
               AND t.made_at <= $3
               AND (v_in."position" IS NULL OR (t.made_at, t.id) > ($1, $2))
             ORDER BY t.made_at, t.id
             OFFSET $6 - 1 LIMIT 1)
            UNION ALL  -- fewer rows than a batch are left: up to the last of them
            (SELECT t.made_at, t.id,
                    (SELECT count(*) FROM app.note t
                     WHERE t.made_at < $4
                       AND t.made_at <= $3
                       AND (v_in."position" IS NULL OR (t.made_at, t.id) > ($1, $2))),
                    true
             FROM app.note t
             WHERE t.made_at < $4
               AND t.made_at <= $3
               AND (v_in."position" IS NULL OR (t.made_at, t.id) > ($1, $2))
             ORDER BY t.made_at DESC, t.id DESC
             LIMIT 1)
            LIMIT 1) b
    )
    SELECT t.tableoid, t.ctid
    FROM app.note t
    WHERE t.made_at < $4
      AND t.made_at <= $3
      AND (v_in."position" IS NULL OR (t.made_at, t.id) > ($1, $2))
      AND (t.made_at, t.id) <= (SELECT b.c1, b.c2 FROM boundary b)
      AND ($5 IS NULL OR t.owner_id = $5);
    EXPLAIN (FORMAT JSON) EXECUTE pgretain_plan (NULL, NULL, NULL, NULL, NULL, NULL) INTO plan;
    DEALLOCATE pgretain_plan;
    RETURN NEXT;
END
$function$;
REVOKE ALL ON FUNCTION retention.items_plan() FROM PUBLIC;
COMMENT ON FUNCTION retention.items_plan()
    IS 'pgretain: the plans by which batches of policy items find their rows';

-- to drop it
