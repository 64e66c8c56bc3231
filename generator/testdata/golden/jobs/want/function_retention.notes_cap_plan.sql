-- as owner
-- How PostgreSQL would find the rows of the batches of policy notes_cap: the statements of its batch functions
-- as SELECT, planned with their settings and never run. For the verifier, through retention._plans().
-- Locks: ACCESS SHARE on the table, as planning any SELECT does.
CREATE OR REPLACE FUNCTION retention.notes_cap_plan(OUT batch text, OUT plan json)
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
        clock_timestamp(), 0, NULL, NULL, (SELECT CASE WHEN p.batch_time_ms IS NULL THEN p.batch_rows ELSE least(p.batch_rows, 5000) END FROM retention.policy p WHERE p.name = 'notes_cap'),
        false, NULL, NULL, '{}', false);
    v_as_of CONSTANT timestamptz := v_in.as_of;
BEGIN
    batch := 'notes_cap_batch';  -- for those of a run that begins now
    DECLARE
        v_group CONSTANT bigint := 0;
        v_passed CONSTANT bigint := 0;
        v_position_1 CONSTANT bigint := NULL;
    BEGIN
        EXPLAIN (FORMAT JSON)
        SELECT c.rel, c.tid
        FROM (SELECT g.ordinal, f.rel, f.tid
              FROM (SELECT r.ordinal
                    FROM retention.run_group r
                    WHERE r.run_id = v_in.run_id AND r.pass = 1 AND r.ordinal >= v_group
                    ORDER BY r.ordinal) g  -- sorted here, so that groups after the batch's are not looked at
              CROSS JOIN LATERAL (
                  SELECT t.tableoid AS rel, t.ctid AS tid
                  FROM app.note t
                  WHERE true
                  ORDER BY t.id DESC
                  OFFSET 1000 + CASE WHEN g.ordinal = v_group THEN v_passed ELSE 0 END) f
              ORDER BY g.ordinal
              LIMIT v_in.batch_rows) c
        INTO plan;
    END;
    RETURN NEXT;
END
$function$;
REVOKE ALL ON FUNCTION retention.notes_cap_plan() FROM PUBLIC;
COMMENT ON FUNCTION retention.notes_cap_plan()
    IS 'pgretain: the plans by which batches of policy notes_cap find their rows';

-- to drop it
