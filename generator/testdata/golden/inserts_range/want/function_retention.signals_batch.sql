-- as owner
-- One batch of policy signals, shape RANGE. Deletes rows of app.note whose made_at is older than 7 days.
-- The boundary, the row at which this batch ends, and the DELETE up to it are one statement and see
-- one snapshot, so that a batch never grows, however many rows others add or share one value.
-- What is written from the rows that go is part of the same statement.
-- Goes on from a position; the first batch of a run, which has none, is signals_batch_locked's.
-- Locks: ROW EXCLUSIVE on the table and the rows that go; waits at most a tenth of the policy's
-- lock_timeout for a row, then the driver goes on with signals_batch_locked.
-- Runs only inside CALL retention.run. To stop it: SELECT retention.pause('signals').
CREATE OR REPLACE FUNCTION retention.signals_batch(v_in retention.batch_input)
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
    v_cutoff_1_1 CONSTANT timestamptz := retention._cutoff(v_as_of, 0, 7, '00:00:00', 'UTC');
    v_position_1 CONSTANT timestamptz := (v_in."position" ->> 0)::timestamptz;
    v_position_2 CONSTANT bigint := (v_in."position" ->> 1)::bigint;
    v_boundary jsonb;
    v_written_1 bigint;
    v_written_2 bigint;
    v_written_3 bigint;
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
             FROM (SELECT t.made_at AS c1, t.id AS c2
                   FROM app.note t
                   WHERE (t.made_at, t.id) > (v_position_1, v_position_2)
                   ORDER BY t.made_at, t.id
                   OFFSET v_in.batch_rows - 1 LIMIT 1) x
             WHERE x.c1 < v_cutoff_1_1)
            UNION ALL  -- fewer rows than a batch are left: up to the last of them
            (SELECT t.made_at, t.id,
                    (SELECT count(*) FROM app.note t
                     WHERE t.made_at < v_cutoff_1_1
                       AND (t.made_at, t.id) > (v_position_1, v_position_2)),
                    true
             FROM app.note t
             WHERE t.made_at < v_cutoff_1_1
               AND (t.made_at, t.id) > (v_position_1, v_position_2)
             ORDER BY t.made_at DESC, t.id DESC
             LIMIT 1)
            LIMIT 1) b
    ), t AS (
        DELETE FROM app.note t
        WHERE t.made_at < v_cutoff_1_1
          AND (t.made_at, t.id) > (v_position_1, v_position_2)
          AND (t.made_at, t.id) <= (SELECT b.c1, b.c2 FROM boundary b)
        RETURNING t.*
    ), step_1 AS (
        INSERT INTO app.daily AS was (day, owner_id, n, top, last_kind, at)
        SELECT totals.day, totals.owner_id, totals.n, totals.top, newest.last_kind, (v_as_of)
        FROM (SELECT (t.made_at::date) AS day, (t.owner_id) AS owner_id, coalesce((count(*)), 0) AS n,
            (max(t.score)) AS top
              FROM t
              WHERE (t.kind <> 'x')
              GROUP BY 1, 2) totals
        JOIN (SELECT DISTINCT ON (1, 2)
                     (t.made_at::date) AS day, (t.owner_id) AS owner_id, (t.kind) AS last_kind
              FROM t
              WHERE (t.kind <> 'x')
              ORDER BY 1, 2, t.made_at DESC, t.id DESC) newest
          ON newest.day IS NOT DISTINCT FROM totals.day AND newest.owner_id IS NOT DISTINCT FROM totals.owner_id
        ON CONFLICT (day, owner_id) DO UPDATE
        SET n = coalesce(was.n + excluded.n, was.n, excluded.n),
            top = greatest(was.top, excluded.top),
            last_kind = excluded.last_kind,
            at = excluded.at
        RETURNING 1
    ), step_2 AS (
        INSERT INTO app.old_note (id, owner_id, kind, state, score, starred, tag, made_at, seen_at, expires_at, run_id)
        SELECT t.id, t.owner_id, t.kind, t.state, t.score, t.starred, t.tag, t.made_at, t.seen_at, t.expires_at,
            (v_in.run_id)
        FROM t
        RETURNING 1
    ), step_3 AS (
        INSERT INTO retention.event (run_id, policy, event, payload)
        SELECT v_in.run_id, 'signals', 'note_gone', jsonb_build_object('id', (t.id), 'kind', (t.kind))
        FROM t
        RETURNING 1
    )
    SELECT (SELECT count(*) FROM t),
           (SELECT count(*) FROM step_1),
           (SELECT count(*) FROM step_2),
           (SELECT count(*) FROM step_3)
    INTO v_out.taken, v_written_1, v_written_2, v_written_3;
    PERFORM retention._known_columns('app.note', ARRAY['id', 'owner_id', 'kind', 'state', 'score', 'starred', 'tag', 'made_at', 'seen_at', 'expires_at']::text[]) WHERE NOT v_in.prove;
    IF v_written_2 <> v_out.taken THEN
        RAISE EXCEPTION USING MESSAGE = format('%s rows were archived and %s deleted', v_written_2, v_out.taken);
    END IF;
    v_out.related := jsonb_build_object('app.daily', v_written_1, 'app.old_note', v_written_2, 'retention.event', v_written_3);
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
REVOKE ALL ON FUNCTION retention.signals_batch(retention.batch_input) FROM PUBLIC;
COMMENT ON FUNCTION retention.signals_batch(retention.batch_input)
    IS 'pgretain: one batch of policy signals, shape RANGE';

-- to drop it
