-- as owner
-- Brings back what a run of policy signals archived or marked, and holds it until an instant.
-- A row that is there again or was changed since is refused, and so is one that a constraint or a
-- trigger refuses: it stays as it is, and so does what was kept of it.
-- Locks: ROW EXCLUSIVE on the tables, the rows.
-- Runs only inside retention.restore.
CREATE OR REPLACE FUNCTION retention.signals_restore(
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
    v_found CONSTANT bigint := (SELECT count(*) FROM app.old_note a WHERE a.run_id = p_run);
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

        -- app.note, from app.old_note
        SELECT coalesce(array_agg(a.tableoid), '{}'), coalesce(array_agg(a.ctid), '{}') INTO v_rels, v_tids
        FROM app.old_note a
        WHERE a.run_id = p_run
          AND NOT retention._is_held(a.tableoid, a.ctid, v_as_of);
        v_from := 1;
        v_size := greatest(cardinality(v_tids), 1);
        LOOP
            BEGIN
                WITH source AS (
                    SELECT DISTINCT ON (a.id)
                           a.tableoid AS rel, a.ctid AS tid, a.id AS c1, a.owner_id AS c2, a.kind AS c3, a.state AS c4,
                               a.score AS c5, a.starred AS c6, a.tag AS c7, a.made_at AS c8, a.seen_at AS c9,
                               a.expires_at AS c10
                    FROM unnest(v_rels[v_from : v_from + v_size - 1],
                                v_tids[v_from : v_from + v_size - 1]) AS x(rel, tid)
                    JOIN app.old_note a ON a.tableoid = x.rel AND a.ctid = x.tid
                    ORDER BY a.id, a.tableoid, a.ctid DESC
                ), back AS (
                    INSERT INTO app.note AS t (id, owner_id, kind, state, score, starred, tag, made_at, seen_at,
                        expires_at)
                    OVERRIDING SYSTEM VALUE
                    SELECT s.c1, s.c2, s.c3, s.c4, s.c5, s.c6, s.c7, s.c8, s.c9, s.c10
                    FROM source s
                    ON CONFLICT DO NOTHING
                    RETURNING t.id AS k1
                ), held AS (
                    INSERT INTO retention.hold (table_name, rel, columns, attnums, types, match, reason, until)
                    SELECT c.table_name, 'app.note'::regclass, ARRAY['id'], c.attnums, c.types, b.match, v_reason, p_until
                    FROM (SELECT jsonb_build_object('id', retention._printed(b.k1)) AS match FROM back b) b
                    CROSS JOIN LATERAL retention._held_columns('app.note'::regclass, ARRAY['id'], b.match) c
                ), gone AS (
                    DELETE FROM app.old_note a
                    USING source s JOIN back b ON b.k1 = s.c1
                    WHERE a.tableoid = s.rel AND a.ctid = s.tid
                )
                SELECT count(*), count(*) FILTER (WHERE NOT EXISTS (
                           SELECT FROM source s WHERE b.k1 = s.c1))
                INTO v_rows, v_others
                FROM back b;
                IF v_others > 0 THEN -- they would come back again and again
                    RAISE EXCEPTION 'a trigger gives rows another key when they are inserted';
                END IF;
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
REVOKE ALL ON FUNCTION retention.signals_restore(bigint, timestamp with time zone) FROM PUBLIC;
COMMENT ON FUNCTION retention.signals_restore(bigint, timestamp with time zone)
    IS 'pgretain: brings back what a run took, of policy signals';

-- to drop it
