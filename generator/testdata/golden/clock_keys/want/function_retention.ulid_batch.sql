-- as owner
-- One batch of policy ulid, shape RANGE. Deletes rows of app.clocks whose ulid_uuid is older than 7 days.
-- The boundary, the row at which this batch ends, and the DELETE up to it are one statement and see
-- one snapshot, so that a batch never grows, however many rows others add or share one value.
-- Goes on from a position; the first batch of a run, which has none, is ulid_batch_locked's.
-- Locks: ROW EXCLUSIVE on the table and the rows that go; waits at most a tenth of the policy's
-- lock_timeout for a row, then the driver goes on with ulid_batch_locked.
-- Runs only inside CALL retention.run. To stop it: SELECT retention.pause('ulid').
CREATE OR REPLACE FUNCTION retention.ulid_batch(v_in retention.batch_input)
RETURNS retention.batch_result
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
    v_as_of CONSTANT timestamptz := v_in.as_of;
    v_cutoff_1_1 CONSTANT uuid := retention._uuid_floor(retention._cutoff(v_as_of, 0, 7, '00:00:00', 'UTC'));
    v_position_1 CONSTANT uuid := (v_in."position" ->> 0)::uuid;
    v_position_2 CONSTANT bigint := (v_in."position" ->> 1)::bigint;
    v_boundary jsonb;
    v_out retention.batch_result;
BEGIN
    -- The boundary leaves the statement through a setting: returning it with the deleted rows
    -- would take a fifth more time.
    PERFORM set_config('pgretain.boundary', '', true);
    WITH boundary AS MATERIALIZED (
        SELECT b.*, set_config('pgretain.boundary', jsonb_build_object(
                   'scanned', b.scanned, 'last', b.last,
                   'position', jsonb_build_array(b.c1::text, b.c2::text))::text, true)
        FROM (
            (SELECT x.*, v_in.batch_rows::bigint AS scanned, false AS last
             FROM (SELECT t.ulid_uuid AS c1, t.id AS c2
                   FROM app.clocks t
                   WHERE (t.ulid_uuid, t.id) > (v_position_1, v_position_2)
                   ORDER BY t.ulid_uuid, t.id
                   OFFSET v_in.batch_rows - 1 LIMIT 1) x
             WHERE x.c1 < v_cutoff_1_1)
            UNION ALL  -- fewer rows than a batch are left: up to the last of them
            (SELECT t.ulid_uuid, t.id,
                    (SELECT count(*) FROM app.clocks t
                     WHERE t.ulid_uuid < v_cutoff_1_1
                       AND (t.ulid_uuid, t.id) > (v_position_1, v_position_2)),
                    true
             FROM app.clocks t
             WHERE t.ulid_uuid < v_cutoff_1_1
               AND (t.ulid_uuid, t.id) > (v_position_1, v_position_2)
             ORDER BY t.ulid_uuid DESC, t.id DESC
             LIMIT 1)
            LIMIT 1) b
    )
    DELETE FROM app.clocks t
    WHERE t.ulid_uuid < v_cutoff_1_1
      AND (t.ulid_uuid, t.id) > (v_position_1, v_position_2)
      AND (t.ulid_uuid, t.id) <= (SELECT b.c1, b.c2 FROM boundary b);
    GET DIAGNOSTICS v_out.taken = ROW_COUNT;
    v_boundary := nullif(current_setting('pgretain.boundary'), '');
    v_out.contended := 0;
    IF v_boundary IS NULL THEN
        v_out.scanned := 0;
        v_out."position" := v_in."position";
        v_out.outcome := 'last';
    ELSE
        v_out.scanned := v_boundary ->> 'scanned';
        v_out."position" := v_boundary -> 'position';
        v_out.outcome := CASE WHEN (v_boundary ->> 'last')::boolean THEN 'last' ELSE 'some' END;
    END IF;
    RETURN v_out;
END
$function$;
REVOKE ALL ON FUNCTION retention.ulid_batch(retention.batch_input) FROM PUBLIC;
COMMENT ON FUNCTION retention.ulid_batch(retention.batch_input)
    IS 'pgretain: one batch of policy ulid, shape RANGE';

-- to drop it
