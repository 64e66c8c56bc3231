-- as owner
-- How PostgreSQL would find the rows of the batches of policy by_key: the statements of its batch functions
-- as SELECT, planned with their settings and never run. For the verifier, through retention._plans().
-- Locks: ACCESS SHARE on the table, as planning any SELECT does.
CREATE OR REPLACE FUNCTION retention.by_key_plan(OUT batch text, OUT plan json)
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
        clock_timestamp(), 0, NULL, NULL, (SELECT CASE WHEN p.batch_time_ms IS NULL THEN p.batch_rows ELSE least(p.batch_rows, 5000) END FROM retention.policy p WHERE p.name = 'by_key'),
        false, NULL, NULL, '{}', false);
    v_as_of CONSTANT timestamptz := v_in.as_of;
BEGIN
    batch := 'by_key_batch';  -- for all values
    PREPARE pgretain_plan (bigint, integer) AS
    WITH boundary AS MATERIALIZED (
        SELECT b.* FROM (
            (SELECT t.id AS c1, $2::bigint AS scanned, false AS last
             FROM app.served t
             WHERE (true)
               AND t.id > $1
             ORDER BY t.id
             OFFSET $2 - 1 LIMIT 1)
            UNION ALL  -- fewer rows than a batch are left: up to the last of them
            (SELECT t.id,
                    (SELECT count(*) FROM app.served t
                     WHERE (true)
                       AND t.id > $1),
                    true
             FROM app.served t
             WHERE (true)
               AND t.id > $1
             ORDER BY t.id DESC
             LIMIT 1)
            LIMIT 1) b
    )
    SELECT t.tableoid, t.ctid
    FROM app.served t
    WHERE (true)
      AND t.id > $1
      AND t.id <= (SELECT b.c1 FROM boundary b);
    EXPLAIN (FORMAT JSON) EXECUTE pgretain_plan (NULL, NULL) INTO plan;
    DEALLOCATE pgretain_plan;
    RETURN NEXT;

    batch := 'by_key_batch_locked';  -- for those of a run that begins now
    DECLARE
        v_position_1 CONSTANT bigint := NULL;
    BEGIN
        EXPLAIN (FORMAT JSON)
        WITH boundary AS MATERIALIZED (
            SELECT b.* FROM (
                (SELECT t.id AS c1, v_in.batch_rows::bigint AS scanned, false AS last
                 FROM app.served t
                 WHERE (true)
                   AND (v_in."position" IS NULL OR t.id > v_position_1)
                 ORDER BY t.id
                 OFFSET v_in.batch_rows - 1 LIMIT 1)
                UNION ALL  -- fewer rows than a batch are left: up to the last of them
                (SELECT t.id,
                        (SELECT count(*) FROM app.served t
                         WHERE (true)
                           AND (v_in."position" IS NULL OR t.id > v_position_1)),
                        true
                 FROM app.served t
                 WHERE (true)
                   AND (v_in."position" IS NULL OR t.id > v_position_1)
                 ORDER BY t.id DESC
                 LIMIT 1)
                LIMIT 1) b
        )
        SELECT t.tableoid, t.ctid
        FROM app.served t
        WHERE (true)
          AND (v_in."position" IS NULL OR t.id > v_position_1)
          AND t.id <= (SELECT b.c1 FROM boundary b)
        INTO plan;
    END;
    RETURN NEXT;
END
$function$;
REVOKE ALL ON FUNCTION retention.by_key_plan() FROM PUBLIC;
COMMENT ON FUNCTION retention.by_key_plan()
    IS 'pgretain: the plans by which batches of policy by_key find their rows';

-- to drop it
