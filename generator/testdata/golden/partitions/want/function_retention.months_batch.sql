-- as owner
-- One batch of policy months, shape PARTITIONS. Detaches partitions of app.event whose upper is older than 3 months.
-- Walks through the partitions, oldest first, without locks, and passes by those that are kept. The
-- first that may go is closed to writers and judged again as it is then; one goes in a batch.
-- Locks: SHARE ROW EXCLUSIVE on the partition; in the step that takes it away ACCESS EXCLUSIVE on
-- it, on the table above it and on that table's DEFAULT partition, until the batch commits. Waits
-- for each at most the policy's lock_timeout.
-- Runs only inside CALL retention.run. To stop it: SELECT retention.pause('months').
CREATE OR REPLACE FUNCTION retention.months_batch(v_in retention.batch_input)
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
AS $function$
DECLARE
    v_as_of CONSTANT timestamptz := v_in.as_of;
    v_cutoff_1_1 CONSTANT date := retention._local_floor(retention._cutoff(v_as_of, 3, 0, '00:00:00', 'UTC'), 'UTC', true)::date;
    v_position_1 CONSTANT date := v_in."position" ->> 0;
    v_position_2 CONSTANT text := v_in."position" ->> 1;
    v_position_3 CONSTANT text := v_in."position" ->> 2;
    v_held CONSTANT boolean := retention._holds('months', v_as_of);
    v_part record;
    v_rel oid;
    v_tids tid[] := '{}';
    v_batch record;
    v_rows bigint;
    v_out retention.batch_result;
    -- One row at a time: nobody looks into the partitions behind the first that may go.
    v_judged CURSOR (p_rel oid) FOR
        WITH part AS MATERIALIZED (
            SELECT p.rel AS tableoid, '(0,0)'::tid AS ctid, p."schema", p.name, p.parent,
                   p.lower::date AS lower, p.upper::date AS upper, p.detaching,
                   NOT p.detaching AND row_number() OVER last = 1 AS newest
            FROM retention._partitions('app.event'::regclass) p
            WINDOW last AS (PARTITION BY p.above, p.detaching ORDER BY p.upper::date DESC NULLS FIRST)
        ), places_newest AS MATERIALIZED (
            SELECT t.tableoid AS rel, t.ctid AS tid,
                   row_number() OVER (
                       ORDER BY coalesce(lower(t.lower::text), '-infinity') = '-infinity', t.upper DESC, t.schema DESC, t.name DESC) AS place
            FROM part t
            WHERE NOT t.detaching
              AND lower(t.upper::text) <> 'infinity'
              AND (t.name LIKE 'event_%')
        )
        SELECT t.*, j.kept_by
        FROM part t
        LEFT JOIN places_newest ON places_newest.rel = t.tableoid AND places_newest.tid = t.ctid
        CROSS JOIN LATERAL (SELECT CASE
            WHEN t.detaching THEN 'detaching'
            WHEN (EXISTS (SELECT FROM (SELECT p.* FROM app.event p WHERE p.at >= coalesce(t.lower, '-infinity'::date) AND p.at < t.upper) AS "partition" WHERE state = 'pending')) IS NOT FALSE THEN 'pending'
            WHEN places_newest.place <= 2 THEN 'newest'
            WHEN v_held AND retention._held_partition(t.tableoid, v_as_of) THEN 'hold'
        END AS kept_by OFFSET 0) j
        WHERE t.upper IS NOT NULL
          AND NOT t.newest
          AND (t.name LIKE 'event_%')
          AND t.upper <= v_cutoff_1_1
          AND NOT v_in.prove
          AND CASE WHEN p_rel IS NOT NULL THEN t.tableoid = p_rel
                   ELSE v_position_1 IS NULL
                        OR (t.upper, t."schema", t.name) > (v_position_1, v_position_2, v_position_3) END
        ORDER BY t.upper, t."schema", t.name;
BEGIN
    v_out := ROW('some', 0, 0, '{}', 0, '{}', v_in."position", NULL);
    OPEN v_judged(NULL);
    LOOP
        FETCH v_judged INTO v_part;
        IF NOT FOUND THEN
            v_out.outcome := 'last';
            EXIT;
        END IF;
        v_out.scanned := v_out.scanned + 1;
        v_out."position" := jsonb_build_array(v_part.upper::text, v_part."schema", v_part.name);
        EXIT WHEN v_in.skip;
        IF v_part.kept_by IS NULL THEN
            v_rel := v_part.tableoid;
            EXIT;
        END IF;
        v_out.kept := retention._one_more(v_out.kept, v_part.kept_by);
        EXIT WHEN v_out.scanned >= v_in.batch_rows;
    END LOOP;
    CLOSE v_judged;

    -- Nobody can write into it from here on: it is judged again as it is, guards included.
    IF v_rel IS NOT NULL THEN
        PERFORM retention.months_partition(v_rel, 'lock');
        OPEN v_judged(v_rel);
        FETCH v_judged INTO v_part;
        IF NOT FOUND THEN
            v_rel := NULL;
        ELSIF v_part.kept_by IS NOT NULL THEN
            v_out.kept := retention._one_more(v_out.kept, v_part.kept_by);
            v_rel := NULL;
        END IF;
        CLOSE v_judged;
    END IF;
    IF v_rel IS NULL AND NOT v_in.prove THEN
        RETURN v_out;
    END IF;
    IF v_rel IS NOT NULL THEN
        v_tids := ARRAY[v_part.ctid];
    END IF;

    -- The partition becomes a table of its own.
    IF v_rel IS NOT NULL THEN
        SET CONSTRAINTS ALL IMMEDIATE;  -- ALTER TABLE refuses while checks of earlier steps are pending
        PERFORM retention.months_partition(v_rel, 'detach');
        v_out.taken := v_out.taken + 1;
    END IF;

    RETURN v_out;
EXCEPTION WHEN SQLSTATE 'PR004' THEN  -- everything above is undone, locks included
    v_out := ROW('locked', 0, 0, '{}', 0, '{}', v_in."position", NULL);
    RETURN v_out;
END
$function$;
REVOKE ALL ON FUNCTION retention.months_batch(retention.batch_input) FROM PUBLIC;
COMMENT ON FUNCTION retention.months_batch(retention.batch_input)
    IS 'pgretain: one batch of policy months, shape PARTITIONS';

-- to drop it
