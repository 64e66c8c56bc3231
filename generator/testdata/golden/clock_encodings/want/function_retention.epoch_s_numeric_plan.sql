-- as owner
-- How PostgreSQL would find the rows of the batches of policy epoch_s_numeric: the statements of its batch functions
-- as SELECT, planned with their settings and never run. For the verifier, through retention._plans().
-- Locks: ACCESS SHARE on the table, as planning any SELECT does.
CREATE OR REPLACE FUNCTION retention.epoch_s_numeric_plan(OUT batch text, OUT plan json)
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
        clock_timestamp(), 0, NULL, NULL, (SELECT CASE WHEN p.batch_time_ms IS NULL THEN p.batch_rows ELSE least(p.batch_rows, 5000) END FROM retention.policy p WHERE p.name = 'epoch_s_numeric'),
        false, NULL, NULL, '{}', false);
    v_as_of CONSTANT timestamptz := v_in.as_of;
BEGIN
    batch := 'epoch_s_numeric_batch';  -- for all values
    PREPARE pgretain_plan (numeric, bigint, numeric, integer) AS
    WITH boundary AS MATERIALIZED (
        SELECT b.* FROM (
            (SELECT x.*, $4::bigint AS scanned, false AS last
             FROM (SELECT t.epoch_s_numeric AS c1, t.id AS c2
                   FROM app.clocks t
                   WHERE (t.epoch_s_numeric, t.id) > ($1, $2)
                   ORDER BY t.epoch_s_numeric, t.id
                   OFFSET $4 - 1 LIMIT 1) x
             WHERE x.c1 < $3)
            UNION ALL  -- fewer rows than a batch are left: up to the last of them
            (SELECT t.epoch_s_numeric, t.id,
                    (SELECT count(*) FROM app.clocks t
                     WHERE t.epoch_s_numeric < $3
                       AND (t.epoch_s_numeric, t.id) > ($1, $2)),
                    true
             FROM app.clocks t
             WHERE t.epoch_s_numeric < $3
               AND (t.epoch_s_numeric, t.id) > ($1, $2)
             ORDER BY t.epoch_s_numeric DESC, t.id DESC
             LIMIT 1)
            LIMIT 1) b
    )
    SELECT t.tableoid, t.ctid
    FROM app.clocks t
    WHERE t.epoch_s_numeric < $3
      AND (t.epoch_s_numeric, t.id) > ($1, $2)
      AND (t.epoch_s_numeric, t.id) <= (SELECT b.c1, b.c2 FROM boundary b);
    EXPLAIN (FORMAT JSON) EXECUTE pgretain_plan (NULL, NULL, NULL, NULL) INTO plan;
    DEALLOCATE pgretain_plan;
    RETURN NEXT;

    batch := 'epoch_s_numeric_batch_locked';  -- for those of a run that begins now
    DECLARE
        v_cutoff_1_1 CONSTANT numeric := extract(epoch FROM retention._cutoff(v_as_of, 0, 7, '00:00:00', 'UTC'));
        v_position_1 CONSTANT numeric := NULL;
        v_position_2 CONSTANT bigint := NULL;
    BEGIN
        EXPLAIN (FORMAT JSON)
        WITH boundary AS MATERIALIZED (
            SELECT b.* FROM (
                (SELECT t.epoch_s_numeric AS c1, t.id AS c2, v_in.batch_rows::bigint AS scanned, false AS last
                 FROM app.clocks t
                 WHERE t.epoch_s_numeric < v_cutoff_1_1
                   AND (v_in."position" IS NULL OR (t.epoch_s_numeric, t.id) > (v_position_1, v_position_2))
                 ORDER BY t.epoch_s_numeric, t.id
                 OFFSET v_in.batch_rows - 1 LIMIT 1)
                UNION ALL  -- fewer rows than a batch are left: up to the last of them
                (SELECT t.epoch_s_numeric, t.id,
                        (SELECT count(*) FROM app.clocks t
                         WHERE t.epoch_s_numeric < v_cutoff_1_1
                           AND (v_in."position" IS NULL OR (t.epoch_s_numeric, t.id) > (v_position_1, v_position_2))),
                        true
                 FROM app.clocks t
                 WHERE t.epoch_s_numeric < v_cutoff_1_1
                   AND (v_in."position" IS NULL OR (t.epoch_s_numeric, t.id) > (v_position_1, v_position_2))
                 ORDER BY t.epoch_s_numeric DESC, t.id DESC
                 LIMIT 1)
                LIMIT 1) b
        )
        SELECT t.tableoid, t.ctid
        FROM app.clocks t
        WHERE t.epoch_s_numeric < v_cutoff_1_1
          AND (v_in."position" IS NULL OR (t.epoch_s_numeric, t.id) > (v_position_1, v_position_2))
          AND (t.epoch_s_numeric, t.id) <= (SELECT b.c1, b.c2 FROM boundary b)
        INTO plan;
    END;
    RETURN NEXT;
END
$function$;
REVOKE ALL ON FUNCTION retention.epoch_s_numeric_plan() FROM PUBLIC;
COMMENT ON FUNCTION retention.epoch_s_numeric_plan()
    IS 'pgretain: the plans by which batches of policy epoch_s_numeric find their rows';

-- to drop it
