-- as owner
-- One batch of policy loans, shape LOCKED. Works off rows of app.loan by their id.
-- Locks the rows first, then judges them again in a newer snapshot and acts on them: all up to a
-- whole value of the position, which the watermark moves to.
-- Locks: ROW EXCLUSIVE on the table and FOR UPDATE on the rows, each waited for at most the policy's
-- lock_timeout.
-- Runs only inside CALL retention.run. To stop it: SELECT retention.pause('loans').
CREATE OR REPLACE FUNCTION retention.loans_batch(v_in retention.batch_input)
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
    v_mark_1 CONSTANT bigint := (SELECT t.id FROM app.rolled t WHERE (t.what = 'loan'));
    v_position_1 CONSTANT bigint := (v_in."position" ->> 0)::bigint;
    v_boundary record;
    v_rels oid[];
    v_tids tid[];
    v_locked bigint;
    v_batch record;
    v_rows bigint;
    v_out retention.batch_result;
BEGIN
    BEGIN
        LOCK TABLE ONLY app.loan IN ROW EXCLUSIVE MODE;
    EXCEPTION WHEN lock_not_available THEN
        v_out.outcome := 'locked';
        RETURN v_out;
    END;

    -- Nothing due is one look into the index.
    IF v_in."position" IS NULL AND NOT v_in.prove THEN
        IF NOT EXISTS (SELECT FROM app.loan t WHERE t.id > v_mark_1) THEN
            v_out := ROW('last', 0, 0, '{}', 0, '{}', NULL, NULL);
            RETURN v_out;
        END IF;
    END IF;

    WITH boundary AS MATERIALIZED (
        SELECT b.* FROM (
            (SELECT t.id AS c1, v_in.batch_rows::bigint AS scanned, false AS last
             FROM app.loan t
             WHERE t.id > v_mark_1
               AND (v_in."position" IS NULL OR t.id > v_position_1)
             ORDER BY t.id
             OFFSET v_in.batch_rows - 1 LIMIT 1)
            UNION ALL  -- fewer rows than a batch are left: up to the last of them
            (SELECT t.id,
                    (SELECT count(*) FROM app.loan t
                     WHERE t.id > v_mark_1
                       AND (v_in."position" IS NULL OR t.id > v_position_1)),
                    true
             FROM app.loan t
             WHERE t.id > v_mark_1
               AND (v_in."position" IS NULL OR t.id > v_position_1)
             ORDER BY t.id DESC
             LIMIT 1)
            LIMIT 1) b
    ), locked AS MATERIALIZED (
        SELECT t.tableoid AS rel, t.ctid AS tid
        FROM app.loan t
        WHERE t.id > v_mark_1
          AND (v_in."position" IS NULL OR t.id > v_position_1)
          AND t.id <= (SELECT b.c1 FROM boundary b)
          AND NOT v_in.skip AND NOT v_in.prove
        FOR UPDATE OF t
    )
    SELECT b.*, array(SELECT l.rel FROM locked l) AS rels, array(SELECT l.tid FROM locked l) AS tids,
           b.scanned AS matched,
           CASE WHEN v_in.skip THEN (
               SELECT concat(t.tableoid, ' ', t.ctid) FROM app.loan t
               WHERE t.id > v_mark_1
                 AND t.id = (SELECT b.c1 FROM boundary b)
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
                   WHEN (t.id > v_mark_1) IS NOT TRUE THEN 'changed'
               END AS spared_by
        FROM app.loan t
        WHERE t.ctid = ANY (v_tids)
    ),
    held AS MATERIALIZED (
        SELECT h.rel, h.tid
        FROM retention._held('loans',
            ARRAY(SELECT j.rel FROM judged j WHERE j.spared_by IS NULL), ARRAY(SELECT j.tid FROM judged j
                WHERE j.spared_by IS NULL),
            v_as_of, true) h
        WHERE retention._holds('loans', v_as_of)
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

    INSERT INTO app.attic (kind, body)
    SELECT ('loan'), (to_jsonb(t.*))
    FROM app.loan t
    WHERE t.ctid = ANY (v_tids);
    GET DIAGNOSTICS v_rows = ROW_COUNT;
    v_out.related := v_out.related || jsonb_build_object(
        'app.attic', v_rows + coalesce((v_out.related ->> 'app.attic')::bigint, 0));

    v_out.taken := cardinality(v_tids);

    -- What the batch worked off, in the batch's own transaction; at the end, all that may be due.
    UPDATE app.rolled t SET id = m.value
    FROM (SELECT v_boundary.c1 AS value) m
    WHERE (t.what = 'loan')
      AND t.id < m.value;

    v_out.scanned := v_locked;
    v_out.contended := 0;
    v_out."position" := jsonb_build_array(v_boundary.c1::text);
    v_out.passed := v_boundary.passed;
    v_out.outcome := CASE WHEN v_boundary.last THEN 'last' ELSE 'some' END;
    RETURN v_out;
END
$function$;
REVOKE ALL ON FUNCTION retention.loans_batch(retention.batch_input) FROM PUBLIC;
COMMENT ON FUNCTION retention.loans_batch(retention.batch_input)
    IS 'pgretain: one batch of policy loans, shape LOCKED';

-- to drop it
