-- as owner
-- One batch of policy signals, shape LOCKED. Deletes rows of app.note whose made_at is older than 7 days.
-- Locks the rows first, passing by those that somebody else has locked, then judges them again in
-- a newer snapshot and acts on what is left.
-- Locks: ROW EXCLUSIVE on the table, waited for at most the policy's lock_timeout; FOR UPDATE on
-- the rows, never waited for.
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
SET plan_cache_mode = force_custom_plan
SET enable_seqscan = off
SET enable_bitmapscan = off
AS $function$
DECLARE
    v_as_of CONSTANT timestamptz := v_in.as_of;
    v_cutoff_1_1 CONSTANT timestamptz := retention._cutoff(v_as_of, 0, 7, '00:00:00', 'UTC');
    v_position_1 CONSTANT timestamptz := (v_in."position" ->> 0)::timestamptz;
    v_position_2 CONSTANT bigint := (v_in."position" ->> 1)::bigint;
    v_boundary record;
    v_rels oid[];
    v_tids tid[];
    v_locked bigint;
    v_batch record;
    v_rows bigint;
    v_new_2 app.transfer[];
    v_tids_4 tid[];
    v_copied bigint := 0;
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
        IF NOT EXISTS (SELECT FROM app.note t WHERE t.made_at < v_cutoff_1_1) THEN
            v_out := ROW('last', 0, 0, '{}', 0, '{}', NULL, NULL);
            RETURN v_out;
        END IF;
    END IF;

    WITH boundary AS MATERIALIZED (
        SELECT b.* FROM (
            (SELECT t.made_at AS c1, t.id AS c2, v_in.batch_rows::bigint AS scanned, false AS last
             FROM app.note t
             WHERE t.made_at < v_cutoff_1_1
               AND (v_in."position" IS NULL OR (t.made_at, t.id) > (v_position_1, v_position_2))
             ORDER BY t.made_at, t.id
             OFFSET v_in.batch_rows - 1 LIMIT 1)
            UNION ALL  -- fewer rows than a batch are left: up to the last of them
            (SELECT t.made_at, t.id,
                    (SELECT count(*) FROM app.note t
                     WHERE t.made_at < v_cutoff_1_1
                       AND (v_in."position" IS NULL OR (t.made_at, t.id) > (v_position_1, v_position_2))),
                    true
             FROM app.note t
             WHERE t.made_at < v_cutoff_1_1
               AND (v_in."position" IS NULL OR (t.made_at, t.id) > (v_position_1, v_position_2))
             ORDER BY t.made_at DESC, t.id DESC
             LIMIT 1)
            LIMIT 1) b
    ), locked AS MATERIALIZED (
        SELECT t.tableoid AS rel, t.ctid AS tid
        FROM app.note t
        WHERE t.made_at < v_cutoff_1_1
          AND (v_in."position" IS NULL OR (t.made_at, t.id) > (v_position_1, v_position_2))
          AND (t.made_at, t.id) <= (SELECT b.c1, b.c2 FROM boundary b)
          AND NOT v_in.skip AND NOT v_in.prove
        FOR UPDATE OF t SKIP LOCKED
    )
    SELECT b.*, array(SELECT l.rel FROM locked l) AS rels, array(SELECT l.tid FROM locked l) AS tids,
           b.scanned AS matched,
           CASE WHEN v_in.skip THEN (
               SELECT concat(t.tableoid, ' ', t.ctid) FROM app.note t
               WHERE t.made_at < v_cutoff_1_1
                 AND (t.made_at, t.id) = (SELECT b.c1, b.c2 FROM boundary b)
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
                   WHEN (t.made_at < v_cutoff_1_1) IS NOT TRUE THEN 'changed'
               END AS spared_by
        FROM app.note t
        WHERE t.ctid = ANY (v_tids)
        ORDER BY t.made_at, t.id
    ),
    held AS MATERIALIZED (
        SELECT h.rel, h.tid
        FROM retention._held('signals',
            ARRAY(SELECT j.rel FROM judged j WHERE j.spared_by IS NULL), ARRAY(SELECT j.tid FROM judged j
                WHERE j.spared_by IS NULL),
            v_as_of, true) h
        WHERE retention._holds('signals', v_as_of)
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

    INSERT INTO app.daily AS was (day, owner_id, n, top, last_kind, at)
    SELECT totals.day, totals.owner_id, totals.n, totals.top, newest.last_kind, (v_as_of)
    FROM (SELECT (t.made_at::date) AS day, (t.owner_id) AS owner_id, coalesce((count(*)), 0) AS n, (max(t.score)) AS top
          FROM unnest(v_tids) WITH ORDINALITY AS batch(tid, n)
               JOIN app.note t ON t.ctid = batch.tid
          GROUP BY 1, 2) totals
    JOIN (SELECT DISTINCT ON (1, 2)
                 (t.made_at::date) AS day, (t.owner_id) AS owner_id, (t.kind) AS last_kind
          FROM unnest(v_tids) WITH ORDINALITY AS batch(tid, n)
               JOIN app.note t ON t.ctid = batch.tid
          ORDER BY 1, 2, batch.n DESC) newest
      ON newest.day IS NOT DISTINCT FROM totals.day AND newest.owner_id IS NOT DISTINCT FROM totals.owner_id
    ON CONFLICT (day, owner_id) DO UPDATE
    SET n = coalesce(was.n + excluded.n, was.n, excluded.n),
        top = greatest(was.top, excluded.top),
        last_kind = excluded.last_kind,
        at = excluded.at;
    GET DIAGNOSTICS v_rows = ROW_COUNT;
    v_out.related := v_out.related || jsonb_build_object(
        'app.daily', v_rows + coalesce((v_out.related ->> 'app.daily')::bigint, 0));

    WITH made AS (
        INSERT INTO app.transfer AS was (owner_id, n, at)
        SELECT (t.owner_id), (count(*)), (v_as_of)
        FROM app.note t
        WHERE t.ctid = ANY (v_tids)
        GROUP BY 1
        RETURNING *
    )
    SELECT array_agg(ROW(made.*)::app.transfer) INTO v_new_2 FROM made;
    v_rows := coalesce(cardinality(v_new_2), 0);
    v_out.related := v_out.related || jsonb_build_object(
        'app.transfer', v_rows + coalesce((v_out.related ->> 'app.transfer')::bigint, 0));

    INSERT INTO app.old_note (id, owner_id, kind, state, score, starred, tag, made_at, seen_at, expires_at, transfer_id,
        run_id)
    SELECT t.id, t.owner_id, t.kind, t.state, t.score, t.starred, t.tag, t.made_at, t.seen_at, t.expires_at, (h.id),
        (v_in.run_id)
    FROM unnest(v_tids) AS batch(tid)
         JOIN app.note t ON t.ctid = batch.tid
         LEFT JOIN unnest(v_new_2) h ON h.owner_id IS NOT DISTINCT FROM (t.owner_id);
    GET DIAGNOSTICS v_rows = ROW_COUNT;
    PERFORM retention._known_columns('app.note', ARRAY['id', 'owner_id', 'kind', 'state', 'score', 'starred', 'tag', 'made_at', 'seen_at', 'expires_at']::text[]) WHERE NOT v_in.prove;
    v_out.related := v_out.related || jsonb_build_object(
        'app.old_note', v_rows + coalesce((v_out.related ->> 'app.old_note')::bigint, 0));
    v_copied := v_copied + v_rows;

    -- Rows of app.loan that go later: nobody changes them behind their copy.
    SELECT coalesce(array_agg(l.tid), '{}')
    INTO v_tids_4
    FROM (SELECT l.ctid AS tid
          FROM app.loan l
          CROSS JOIN unnest(v_tids) WITH ORDINALITY AS batch(tid, n)
                     JOIN app.note t ON t.ctid = batch.tid
          WHERE (l.note_id = t.id)
          FOR UPDATE OF l) l;
    INSERT INTO app.attic (body, kind, reason)
    SELECT to_jsonb(l.*), ('loan of ' || t.kind), (v_in.reason)
    FROM (SELECT DISTINCT ON (l.tableoid, l.ctid)
                 l.tableoid AS rel, l.ctid AS tid, batch.n
          FROM app.loan l
          CROSS JOIN unnest(v_tids) WITH ORDINALITY AS batch(tid, n)
                     JOIN app.note t ON t.ctid = batch.tid
          WHERE (l.note_id = t.id)
            AND l.ctid = ANY (v_tids_4)
          ORDER BY l.tableoid, l.ctid, batch.n) pair
    JOIN app.loan l ON l.ctid = pair.tid AND l.tableoid = pair.rel
    JOIN (unnest(v_tids) WITH ORDINALITY AS batch(tid, n)
          JOIN app.note t ON t.ctid = batch.tid) ON batch.n = pair.n;
    GET DIAGNOSTICS v_rows = ROW_COUNT;
    v_out.related := v_out.related || jsonb_build_object(
        'app.attic', v_rows + coalesce((v_out.related ->> 'app.attic')::bigint, 0));

    -- Related rows of app.loan.
    PERFORM retention._spare(array_agg(x.rel), array_agg(x.tid), true, v_as_of)
    FROM (SELECT DISTINCT l.tableoid AS rel, l.ctid AS tid
          FROM app.loan l
          CROSS JOIN app.note t
          WHERE t.ctid = ANY (v_tids)
            AND (l.note_id = t.id)) x
    WHERE retention._holds('signals', v_as_of);
    DELETE FROM app.loan l
    USING app.note t
    WHERE t.ctid = ANY (v_tids)
      AND (l.note_id = t.id)
      AND l.ctid = ANY (v_tids_4);
    GET DIAGNOSTICS v_rows = ROW_COUNT;
    v_out.related := v_out.related || jsonb_build_object(
        'app.loan', v_rows + coalesce((v_out.related ->> 'app.loan')::bigint, 0));

    INSERT INTO retention.event (run_id, policy, event, payload)
    SELECT v_in.run_id, 'signals', 'note_gone', jsonb_build_object('id', (t.id), 'kind', (t.kind))
    FROM app.note t
    WHERE t.ctid = ANY (v_tids);
    GET DIAGNOSTICS v_rows = ROW_COUNT;
    v_out.related := v_out.related || jsonb_build_object(
        'retention.event', v_rows + coalesce((v_out.related ->> 'retention.event')::bigint, 0));

    -- The batch's own rows.
    DELETE FROM app.note t
    WHERE t.ctid = ANY (v_tids);
    GET DIAGNOSTICS v_rows = ROW_COUNT;
    v_out.taken := v_out.taken + v_rows;

    IF v_copied <> v_out.taken THEN
        RAISE EXCEPTION USING MESSAGE = format('%s rows were archived and %s deleted', v_copied, v_out.taken);
    END IF;

    v_out.scanned := v_boundary.scanned;
    v_out.contended := CASE WHEN v_in.skip THEN 0 ELSE v_boundary.matched - v_locked END;
    v_out."position" := jsonb_build_array(v_boundary.c1::text, v_boundary.c2::text);
    v_out.passed := v_boundary.passed;
    v_out.outcome := CASE WHEN v_boundary.last THEN 'last' ELSE 'some' END;
    RETURN v_out;
END
$function$;
REVOKE ALL ON FUNCTION retention.signals_batch(retention.batch_input) FROM PUBLIC;
COMMENT ON FUNCTION retention.signals_batch(retention.batch_input)
    IS 'pgretain: one batch of policy signals, shape LOCKED';

-- to drop it
