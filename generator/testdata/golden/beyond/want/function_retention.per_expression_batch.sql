-- as owner
-- One batch of policy per_expression, shape LOCKED by rank. Deletes rows of app.note past the first 1 per owner_id, date_trunc('day', made_at).
-- Goes through the groups that hold too many rows (found once, when the run started), locks the
-- rows past the first 1, passing by those that somebody else has locked, then ranks and
-- judges them again in a newer snapshot.
-- Locks: ROW EXCLUSIVE on the table, waited for at most the policy's lock_timeout; FOR UPDATE on
-- the rows, never waited for.
-- Runs only inside CALL retention.run. To stop it: SELECT retention.pause('per_expression').
CREATE OR REPLACE FUNCTION retention.per_expression_batch(v_in retention.batch_input)
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
    -- The position is a group, and how many of its rows past the first places were passed by.
    v_group CONSTANT bigint := coalesce((v_in."position" ->> 0)::bigint, 0);
    v_passed CONSTANT bigint := coalesce((v_in."position" ->> 1)::bigint, 0);
    v_found record;
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

    SELECT count(*) AS scanned, max(c.ordinal) AS last_group,
           coalesce(array_agg(c.ordinal), '{}') AS groups,
           coalesce(array_agg(c.rel), '{}') AS rels, coalesce(array_agg(c.tid), '{}') AS tids
    INTO v_found
    FROM (SELECT g.ordinal, f.rel, f.tid
          FROM (SELECT r.ordinal, (r.key[1])::bigint AS k1, (r.key[2])::text AS k2
                FROM retention.run_group r
                WHERE r.run_id = v_in.run_id AND r.pass = 1 AND r.ordinal >= v_group
                ORDER BY r.ordinal) g  -- sorted here, so that groups after the batch's are not looked at
          CROSS JOIN LATERAL (
              SELECT t.tableoid AS rel, t.ctid AS tid
              FROM app.note t
              WHERE (coalesce(t.score, 0)) IS NOT NULL
                AND t.owner_id = g.k1
                AND (date_trunc('day', t.made_at))::text IS NOT DISTINCT FROM g.k2
              ORDER BY coalesce(t.score, 0) DESC, t.id DESC
              OFFSET 1 + CASE WHEN g.ordinal = v_group THEN v_passed ELSE 0 END) f
          ORDER BY g.ordinal
          LIMIT v_in.batch_rows) c;
    IF v_found.scanned = 0 AND NOT v_in.prove THEN
        v_out := ROW('last', 0, 0, '{}', 0, '{}', v_in."position", NULL);
        RETURN v_out;
    END IF;

    v_rels := v_found.rels;
    v_tids := v_found.tids;
    SELECT coalesce(array_agg(l.rel), '{}'), coalesce(array_agg(l.tid), '{}') INTO v_rels, v_tids
    FROM (SELECT t.tableoid AS rel, t.ctid AS tid
          FROM app.note t
          WHERE t.ctid = ANY (v_tids)
            AND NOT v_in.skip AND NOT v_in.prove
          FOR UPDATE OF t SKIP LOCKED) l;
    v_locked := cardinality(v_tids);
    v_out.related := '{}';
    v_out.taken := 0;

    -- Their locks are ours now: everything is judged again as it is, guards included; then holds.
    WITH places_beyond_1 AS MATERIALIZED (
        SELECT f.rel, f.tid
        FROM (SELECT DISTINCT t.owner_id AS k1, (date_trunc('day', t.made_at))::text AS k2
              FROM app.note t
              WHERE t.ctid = ANY (v_tids)) g
        CROSS JOIN LATERAL (SELECT t.tableoid AS rel, t.ctid AS tid
                            FROM app.note t
                            WHERE (coalesce(t.score, 0)) IS NOT NULL
                              AND t.owner_id = g.k1
                              AND (date_trunc('day', t.made_at))::text IS NOT DISTINCT FROM g.k2
                            ORDER BY coalesce(t.score, 0) DESC, t.id DESC
                            FETCH FIRST 1 ROWS ONLY) f
    ), judged AS MATERIALIZED (
        SELECT t.tableoid AS rel, t.ctid AS tid,
               CASE
                   WHEN ((coalesce(t.score, 0)) IS NOT NULL
                         AND places_beyond_1.tid IS NULL) IS NOT TRUE THEN 'changed'
               END AS spared_by
        FROM app.note t
        LEFT JOIN places_beyond_1 ON places_beyond_1.rel = t.tableoid AND places_beyond_1.tid = t.ctid
        WHERE t.ctid = ANY (v_tids)
    ),
    held AS MATERIALIZED (
        SELECT h.rel, h.tid
        FROM retention._held('per_expression',
            ARRAY(SELECT j.rel FROM judged j WHERE j.spared_by IS NULL), ARRAY(SELECT j.tid FROM judged j
                WHERE j.spared_by IS NULL),
            v_as_of, true) h
        WHERE retention._holds('per_expression', v_as_of)
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

    -- The batch's own rows.
    DELETE FROM app.note t
    WHERE t.ctid = ANY (v_tids);
    GET DIAGNOSTICS v_rows = ROW_COUNT;
    v_out.taken := v_out.taken + v_rows;

    v_out.scanned := v_found.scanned;
    v_out.contended := CASE WHEN v_in.skip THEN 0 ELSE v_found.scanned - v_locked END;
    v_out."position" := (
        SELECT jsonb_build_array(v_found.last_group,
                   count(*) + CASE WHEN v_found.last_group = v_group THEN v_passed ELSE 0 END)
        FROM unnest(v_found.groups, v_found.rels, v_found.tids) AS c("group", rel, tid)
        WHERE c."group" = v_found.last_group
          AND EXISTS (SELECT FROM app.note t WHERE t.ctid = c.tid AND t.tableoid = c.rel));
    v_out.passed := CASE WHEN v_in.skip THEN concat(v_found.rels[1], ' ', v_found.tids[1]) END;
    v_out.outcome := CASE WHEN v_found.scanned < v_in.batch_rows THEN 'last' ELSE 'some' END;
    RETURN v_out;
END
$function$;
REVOKE ALL ON FUNCTION retention.per_expression_batch(retention.batch_input) FROM PUBLIC;
COMMENT ON FUNCTION retention.per_expression_batch(retention.batch_input)
    IS 'pgretain: one batch of policy per_expression, shape LOCKED by rank';

-- to drop it
