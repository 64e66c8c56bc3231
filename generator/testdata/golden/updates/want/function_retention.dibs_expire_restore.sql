-- as owner
-- Brings back what a run of policy dibs_expire archived or marked, and holds it until an instant.
-- A row that is there again or was changed since is refused, and so is one that a constraint or a
-- trigger refuses: it stays as it is, and so does what was kept of it.
-- Locks: ROW EXCLUSIVE on the tables, the rows.
-- Runs only inside retention.restore.
CREATE OR REPLACE FUNCTION retention.dibs_expire_restore(
    p_run bigint, p_until timestamptz, OUT restored bigint, OUT refused bigint)
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
AS $function$
#variable_conflict use_variable
DECLARE
    v_as_of CONSTANT timestamptz := clock_timestamp();
    v_reason CONSTANT text := format('restored run %s', p_run);
    v_found CONSTANT bigint := (SELECT count(*) FROM retention.undo a WHERE a.run_id = p_run AND a.policy = 'dibs_expire' AND a.step = 1);
    v_rels oid[];
    v_tids tid[];
    v_from integer;
    v_size integer;
    v_rows bigint;
    v_others bigint;
    v_before bigint;
BEGIN
    restored := 0;
    LOOP
        v_before := restored;

        -- app.note, as it was before step 1
        SELECT coalesce(array_agg(a.tableoid), '{}'), coalesce(array_agg(a.ctid), '{}') INTO v_rels, v_tids
        FROM retention.undo a
        WHERE a.run_id = p_run
          AND a.policy = 'dibs_expire' AND a.step = 1;
        v_from := 1;
        v_size := greatest(cardinality(v_tids), 1);
        LOOP
            BEGIN
                WITH source AS (
                    SELECT a.ctid AS tid, a.key, a.written
                    FROM unnest(v_tids[v_from : v_from + v_size - 1]) AS x(tid)
                    JOIN retention.undo a ON a.ctid = x.tid
                ), back AS (
                    UPDATE app.note t
                    SET starred = (false)
                    FROM source s
                    WHERE t.id = (s.key[1])::bigint
                      AND jsonb_build_object('starred', t.starred) = s.written
                    RETURNING s.tid, s.key
                ), held AS (
                    INSERT INTO retention.hold (table_name, rel, columns, attnums, types, match, reason, until)
                    SELECT c.table_name, 'app.note'::regclass, ARRAY['id'], c.attnums, c.types, b.match, v_reason, p_until
                    FROM (SELECT jsonb_build_object('id', retention._printed((b.key[1])::bigint)) AS match FROM back b) b
                    CROSS JOIN LATERAL retention._held_columns('app.note'::regclass, ARRAY['id'], b.match) c
                ), gone AS (
                    DELETE FROM retention.undo a
                    USING back b
                    WHERE a.ctid = b.tid
                )
                SELECT count(*) INTO v_rows FROM back;
                SET CONSTRAINTS ALL IMMEDIATE;
                restored := restored + v_rows;
                v_from := v_from + v_size;
                v_size := v_size * 2;
            EXCEPTION WHEN integrity_constraint_violation OR raise_exception THEN
                -- Half as many, down to the row that is refused.
                v_from := v_from + (v_size = 1)::integer;
                v_size := greatest(v_size / 2, 1);
            END;
            EXIT WHEN v_from > cardinality(v_tids);
        END LOOP;

        -- Once more, as long as rows come back: one may need another one to be there first.
        EXIT WHEN restored = v_before;
    END LOOP;
    refused := v_found - restored;
END
$function$;
REVOKE ALL ON FUNCTION retention.dibs_expire_restore(bigint, timestamp with time zone) FROM PUBLIC;
COMMENT ON FUNCTION retention.dibs_expire_restore(bigint, timestamp with time zone)
    IS 'pgretain: brings back what a run took, of policy dibs_expire';

-- to drop it
