-- as owner
-- One batch of policy starred, shape LOCKED. Updates rows of app.note whose expires_at is past by 0 days.
-- Locks the rows first, passing by those that somebody else has locked, then judges them again in
-- a newer snapshot and acts on what is left.
-- Locks: ROW EXCLUSIVE on the table, waited for at most the policy's lock_timeout; FOR UPDATE on
-- the rows, never waited for.
-- Runs only inside CALL retention.run. To stop it: SELECT retention.pause('starred').
CREATE OR REPLACE FUNCTION retention.starred_batch(v_in retention.batch_input)
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
SET plan_cache_mode = force_custom_plan
SET enable_seqscan = off
SET enable_bitmapscan = off
AS $function$
DECLARE
    v_as_of CONSTANT timestamptz := v_in.as_of;
    v_cutoff_1_1 CONSTANT timestamptz := retention._cutoff(v_as_of, 0, 0, '00:00:00', 'UTC');
    v_position_1 CONSTANT timestamptz := (v_in."position" ->> 0)::timestamptz;
    v_position_2 CONSTANT bigint := (v_in."position" ->> 1)::bigint;
    v_boundary record;
    v_rels oid[];
    v_tids tid[];
    v_locked bigint;
    v_batch record;
    v_rows bigint;
    v_out retention.batch_result;
BEGIN
    BEGIN
        LOCK TABLE ONLY app.note IN ROW EXCLUSIVE MODE;
    EXCEPTION WHEN lock_not_available THEN
        v_out.outcome := 'locked';
        RETURN v_out;
    END;

    -- Nothing due is one look into the index.
    IF v_in."position" IS NULL AND NOT v_in.prove THEN
        IF NOT EXISTS (SELECT FROM app.note t WHERE t.expires_at < v_cutoff_1_1
                                                AND (NOT t.starred)) THEN
            v_out := ROW('last', 0, 0, '{}', 0, '{}', NULL, NULL);
            RETURN v_out;
        END IF;
    END IF;

    WITH boundary AS MATERIALIZED (
        SELECT b.* FROM (
            (SELECT t.expires_at AS c1, t.id AS c2, v_in.batch_rows::bigint AS scanned, false AS last
             FROM app.note t
             WHERE t.expires_at < v_cutoff_1_1
               AND (NOT t.starred)
               AND (v_in."position" IS NULL OR (t.expires_at, t.id) > (v_position_1, v_position_2))
             ORDER BY t.expires_at, t.id
             OFFSET v_in.batch_rows - 1 LIMIT 1)
            UNION ALL  -- fewer rows than a batch are left: up to the last of them
            (SELECT t.expires_at, t.id,
                    (SELECT count(*) FROM app.note t
                     WHERE t.expires_at < v_cutoff_1_1
                       AND (NOT t.starred)
                       AND (v_in."position" IS NULL OR (t.expires_at, t.id) > (v_position_1, v_position_2))),
                    true
             FROM app.note t
             WHERE t.expires_at < v_cutoff_1_1
               AND (NOT t.starred)
               AND (v_in."position" IS NULL OR (t.expires_at, t.id) > (v_position_1, v_position_2))
             ORDER BY t.expires_at DESC, t.id DESC
             LIMIT 1)
            LIMIT 1) b
    ), locked AS MATERIALIZED (
        SELECT t.tableoid AS rel, t.ctid AS tid
        FROM app.note t
        WHERE t.expires_at < v_cutoff_1_1
          AND (NOT t.starred)
          AND (v_in."position" IS NULL OR (t.expires_at, t.id) > (v_position_1, v_position_2))
          AND (t.expires_at, t.id) <= (SELECT b.c1, b.c2 FROM boundary b)
          AND NOT v_in.skip AND NOT v_in.prove
        FOR UPDATE OF t SKIP LOCKED
    )
    SELECT b.*, array(SELECT l.rel FROM locked l) AS rels, array(SELECT l.tid FROM locked l) AS tids,
           b.scanned AS matched,
           CASE WHEN v_in.skip THEN (
               SELECT concat(t.tableoid, ' ', t.ctid) FROM app.note t
               WHERE t.expires_at < v_cutoff_1_1
                 AND (NOT t.starred)
                 AND (t.expires_at, t.id) = (SELECT b.c1, b.c2 FROM boundary b)
               LIMIT 1) END AS passed
    INTO v_boundary
    FROM boundary b;
    IF NOT FOUND AND NOT v_in.prove THEN
        v_out := ROW('last', 0, 0, '{}', 0, '{}', v_in."position", NULL);
        RETURN v_out;
    END IF;
    v_rels := coalesce(v_boundary.rels, '{}');
    v_tids := coalesce(v_boundary.tids, '{}');
    v_locked := cardinality(v_tids);
    v_out.related := '{}';
    v_out.taken := 0;

    -- Their locks are ours now: everything is judged again as it is, guards included; then holds.
    WITH judged AS MATERIALIZED (
        SELECT t.tableoid AS rel, t.ctid AS tid,
               CASE
                   WHEN ((NOT t.starred)
                         AND t.expires_at < v_cutoff_1_1) IS NOT TRUE THEN 'changed'
               END AS spared_by
        FROM app.note t
        WHERE t.ctid = ANY (v_tids)
    ),
    held AS MATERIALIZED (
        SELECT h.rel, h.tid
        FROM retention._held('starred',
            ARRAY(SELECT j.rel FROM judged j WHERE j.spared_by IS NULL), ARRAY(SELECT j.tid FROM judged j
                WHERE j.spared_by IS NULL),
            v_as_of, true) h
        WHERE retention._holds('starred', v_as_of)
    ), decided AS MATERIALIZED (
        SELECT j.*, CASE WHEN j.spared_by IS NULL AND (j.rel, j.tid) IN (SELECT h.rel, h.tid FROM held h) THEN 'hold' ELSE j.spared_by END AS kept_by
        FROM judged j
    )
    SELECT count(*) AS judged,
           coalesce(array_agg(j.rel) FILTER (WHERE j.kept_by IS NULL), '{}') AS rels,
           coalesce(array_agg(j.tid) FILTER (WHERE j.kept_by IS NULL), '{}') AS tids,
           (SELECT jsonb_object_agg(k.kept_by, k.n)
            FROM (SELECT x.kept_by, count(*) AS n FROM decided x
                  WHERE x.kept_by <> 'changed' GROUP BY x.kept_by) k) AS kept
    INTO v_batch
    FROM decided j;
    v_rels := v_batch.rels;
    v_tids := v_batch.tids;
    v_out.kept := v_batch.kept;

    -- The batch's own rows, where they would change. What is written is kept for restore.
    WITH written AS (
    UPDATE app.note t
    SET starred = (true)
    WHERE t.ctid = ANY (v_tids)
      AND t.starred IS DISTINCT FROM (true)
    RETURNING ARRAY[t.id::text] AS key,
              jsonb_build_object('starred', t.starred) AS written
    )
    INSERT INTO retention.undo AS u (run_id, policy, step, key, written)
    SELECT v_in.run_id, 'starred', 1, w.key, w.written FROM written w
    ON CONFLICT ON CONSTRAINT undo_pkey DO UPDATE SET written = excluded.written;
    GET DIAGNOSTICS v_rows = ROW_COUNT;
    v_out.taken := least(v_out.taken + v_rows, cardinality(v_tids));

    v_out.scanned := v_boundary.scanned;
    v_out.contended := CASE WHEN v_in.skip THEN 0 ELSE v_boundary.matched - v_locked END;
    v_out."position" := jsonb_build_array(v_boundary.c1::text, v_boundary.c2::text);
    v_out.passed := v_boundary.passed;
    v_out.outcome := CASE WHEN v_boundary.last THEN 'last' ELSE 'some' END;
    RETURN v_out;
END
$function$;
REVOKE ALL ON FUNCTION retention.starred_batch(retention.batch_input) FROM PUBLIC;
COMMENT ON FUNCTION retention.starred_batch(retention.batch_input)
    IS 'pgretain: one batch of policy starred, shape LOCKED';

-- to drop it
