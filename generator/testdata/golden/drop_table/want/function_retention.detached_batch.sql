-- as owner
-- One batch of policy detached, shape LOCKED. Deletes rows of app.detached whose drop_after is past by 0 days.
-- Locks the rows first, passing by those that somebody else has locked, then judges them again in
-- a newer snapshot and acts on what is left.
-- Locks: ROW EXCLUSIVE on the table, waited for at most the policy's lock_timeout; FOR UPDATE on
-- the rows, never waited for.
-- Runs only inside CALL retention.run. To stop it: SELECT retention.pause('detached').
CREATE OR REPLACE FUNCTION retention.detached_batch(v_in retention.batch_input)
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
    v_position_2 CONSTANT text := (v_in."position" ->> 1)::text;
    v_boundary record;
    v_rels oid[];
    v_tids tid[];
    v_locked bigint;
    v_batch record;
    v_rows bigint;
    v_out retention.batch_result;
BEGIN
    BEGIN
        LOCK TABLE ONLY app.detached IN ROW EXCLUSIVE MODE;
    EXCEPTION WHEN lock_not_available THEN
        v_out.outcome := 'locked';
        RETURN v_out;
    END;

    -- Nothing due is one look into the index.
    IF v_in."position" IS NULL AND NOT v_in.prove THEN
        IF NOT EXISTS (SELECT FROM app.detached t WHERE t.drop_after < v_cutoff_1_1) THEN
            v_out := ROW('last', 0, 0, '{}', 0, '{}', NULL, NULL);
            RETURN v_out;
        END IF;
    END IF;

    WITH boundary AS MATERIALIZED (
        SELECT b.* FROM (
            (SELECT t.drop_after AS c1, t.name AS c2, v_in.batch_rows::bigint AS scanned, false AS last
             FROM app.detached t
             WHERE t.drop_after < v_cutoff_1_1
               AND (v_in."position" IS NULL OR (t.drop_after, t.name) > (v_position_1, v_position_2))
             ORDER BY t.drop_after, t.name
             OFFSET v_in.batch_rows - 1 LIMIT 1)
            UNION ALL  -- fewer rows than a batch are left: up to the last of them
            (SELECT t.drop_after, t.name,
                    (SELECT count(*) FROM app.detached t
                     WHERE t.drop_after < v_cutoff_1_1
                       AND (v_in."position" IS NULL OR (t.drop_after, t.name) > (v_position_1, v_position_2))),
                    true
             FROM app.detached t
             WHERE t.drop_after < v_cutoff_1_1
               AND (v_in."position" IS NULL OR (t.drop_after, t.name) > (v_position_1, v_position_2))
             ORDER BY t.drop_after DESC, t.name DESC
             LIMIT 1)
            LIMIT 1) b
    ), locked AS MATERIALIZED (
        SELECT t.tableoid AS rel, t.ctid AS tid
        FROM app.detached t
        WHERE t.drop_after < v_cutoff_1_1
          AND (v_in."position" IS NULL OR (t.drop_after, t.name) > (v_position_1, v_position_2))
          AND (t.drop_after, t.name) <= (SELECT b.c1, b.c2 FROM boundary b)
          AND NOT v_in.skip AND NOT v_in.prove
        FOR UPDATE OF t SKIP LOCKED
    )
    SELECT b.*, array(SELECT l.rel FROM locked l) AS rels, array(SELECT l.tid FROM locked l) AS tids,
           b.scanned AS matched,
           CASE WHEN v_in.skip THEN (
               SELECT concat(t.tableoid, ' ', t.ctid) FROM app.detached t
               WHERE t.drop_after < v_cutoff_1_1
                 AND (t.drop_after, t.name) = (SELECT b.c1, b.c2 FROM boundary b)
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
               t.name AS t_1,
               CASE
                   WHEN (t.drop_after < v_cutoff_1_1) IS NOT TRUE THEN 'changed'
               END AS spared_by
        FROM app.detached t
        WHERE t.ctid = ANY (v_tids)
    ),
    held AS MATERIALIZED (
        SELECT h.rel, h.tid
        FROM retention._held('detached',
            ARRAY(SELECT j.rel FROM judged j WHERE j.spared_by IS NULL), ARRAY(SELECT j.tid FROM judged j
                WHERE j.spared_by IS NULL),
            v_as_of, true) h
        WHERE retention._holds('detached', v_as_of)
    ), decided AS MATERIALIZED (
        SELECT j.*, CASE WHEN j.spared_by IS NULL AND (j.rel, j.tid) IN (SELECT h.rel, h.tid FROM held h) THEN 'hold' ELSE j.spared_by END AS kept_by
        FROM judged j
    )
    SELECT count(*) AS judged,
           coalesce(array_agg(j.rel) FILTER (WHERE j.kept_by IS NULL), '{}') AS rels,
           coalesce(array_agg(j.tid) FILTER (WHERE j.kept_by IS NULL), '{}') AS tids,
           coalesce(array_agg(j.t_1) FILTER (WHERE j.kept_by IS NULL), '{}') AS t_1,
           (SELECT jsonb_object_agg(k.kept_by, k.n)
            FROM (SELECT x.kept_by, count(*) AS n FROM decided x
                  WHERE x.kept_by <> 'changed' GROUP BY x.kept_by) k) AS kept
    INTO v_batch
    FROM decided j;
    v_rels := v_batch.rels;
    v_tids := v_batch.tids;
    v_out.kept := v_batch.kept;

    -- The tables that the rows name; one that is gone already is no error.
    DECLARE
        v_names CONSTANT text[] := array(
            SELECT (t.name)::text
            FROM app.detached t
            WHERE t.ctid = ANY (v_tids));
        v_name text;
        v_table oid;
        v_gone bigint := 0;
    BEGIN
        v_rows := 0;
        FOREACH v_name IN ARRAY v_names LOOP
            v_table := retention._droppable(v_name, 'detached');
            IF v_table IS NULL THEN
                v_gone := v_gone + 1;
            ELSE
                PERFORM retention.detached_drop_table(v_table);
                v_rows := v_rows + 1;
            END IF;
        END LOOP;
        v_out.related := v_out.related || jsonb_build_object(
            'tables dropped', v_rows + coalesce((v_out.related ->> 'tables dropped')::bigint, 0),
            'tables gone before', v_gone + coalesce((v_out.related ->> 'tables gone before')::bigint, 0));
    END;

    -- The batch's own rows.
    PERFORM retention._unique_key('app.detached', ARRAY['name']::text[]);
    DELETE FROM app.detached t
    WHERE t.name IN (
        SELECT t.name
        FROM unnest(v_tids, v_batch.t_1)
                  AS batch(tid, t_1)
             CROSS JOIN LATERAL (SELECT batch.t_1 AS name) t);
    GET DIAGNOSTICS v_rows = ROW_COUNT;
    IF v_rows < cardinality(v_tids) AND EXISTS (
        SELECT FROM app.detached t
        WHERE t.name IN (
            SELECT t.name
            FROM unnest(v_tids, v_batch.t_1)
                      AS batch(tid, t_1)
                 CROSS JOIN LATERAL (SELECT batch.t_1 AS name) t)) THEN
        -- What the other steps write is of rows that go: the row that stays is looked for, and refused.
        RAISE EXCEPTION USING MESSAGE = format('a trigger or a rule kept %s of %s rows from being deleted', cardinality(v_tids) - v_rows, cardinality(v_tids));
    END IF;
    v_out.taken := v_out.taken + v_rows;

    v_out.scanned := v_boundary.scanned;
    v_out.contended := CASE WHEN v_in.skip THEN 0 ELSE v_boundary.matched - v_locked END;
    v_out."position" := jsonb_build_array(v_boundary.c1::text, v_boundary.c2::text);
    v_out.passed := v_boundary.passed;
    v_out.outcome := CASE WHEN v_boundary.last THEN 'last' ELSE 'some' END;
    RETURN v_out;
END
$function$;
REVOKE ALL ON FUNCTION retention.detached_batch(retention.batch_input) FROM PUBLIC;
COMMENT ON FUNCTION retention.detached_batch(retention.batch_input)
    IS 'pgretain: one batch of policy detached, shape LOCKED';

-- to drop it
