-- _held_below returns the numbers (p_n) of the rows that are held.
-- p_deletes: also return rows from which foreign keys lead to a held row, to any depth
-- p_lock: lock the rows to which the foreign keys lead
-- A session that inserts or moves a referring row needs FOR KEY SHARE on the referenced row. With
-- the locks, no session can meanwhile add a held row, or a row that a step copies.
CREATE OR REPLACE FUNCTION retention._held_below(
    p_table oid, p_n integer[], p_rels oid[], p_tids tid[], p_deletes boolean, p_as_of timestamptz, p_lock boolean,
    p_policy text)
RETURNS integer[] LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET row_security = off AS $function$
DECLARE
    v_held integer[] := retention._held_here(p_table, p_n, p_rels, p_tids, p_as_of);
    v_keys CONSTANT jsonb := CASE WHEN p_deletes THEN retention._held_keys(p_table, p_as_of, p_policy) ELSE '[]' END;
    v_key record; v_n integer[]; v_rels oid[]; v_tids tid[]; v_level record; v_seen_n integer[] := '{}';
    v_seen_rels oid[] := '{}'; v_seen_tids tid[] := '{}';
BEGIN
    SELECT p_n AS n, p_rels AS rels, p_tids AS tids INTO v_level;
    WHILE v_keys <> '[]' AND cardinality(v_level.n) > 0 LOOP
        v_seen_n := v_seen_n || v_level.n; v_seen_rels := v_seen_rels || v_level.rels;
        v_seen_tids := v_seen_tids || v_level.tids; p_n := '{}'; p_rels := '{}'; p_tids := '{}';
        FOR v_key IN
            SELECT k.* FROM jsonb_to_recordset(v_keys)
                k (parent_root oid, child_root oid, parent_from text, child_from text, matches text, action text)
            WHERE k.parent_root IN (SELECT coalesce(pg_partition_root(x), x)
                FROM (SELECT DISTINCT unnest(v_level.rels)) l (x))
        LOOP
            EXECUTE format(
                'SELECT array_agg(x.n) AS n, array_agg(x.rel) AS rels, array_agg(x.tid) AS tids
                 FROM (SELECT f.n, c.tableoid AS rel, c.ctid AS tid FROM unnest($1, $2, $3) f (n, rel, tid)
                       JOIN %s p ON p.tableoid = f.rel AND p.ctid = f.tid JOIN %s c ON %s%s) x',
                v_key.parent_from, v_key.child_from, v_key.matches,
                    CASE WHEN p_lock THEN ' FOR UPDATE OF c' ELSE '' END)
            INTO v_n, v_rels, v_tids USING v_level.n, v_level.rels, v_level.tids;
            CONTINUE WHEN v_n IS NULL;
            v_held := v_held || retention._held_here(v_key.child_root, v_n, v_rels, v_tids, p_as_of);
            IF v_key.action = 'c' THEN
                p_n := p_n || v_n; p_rels := p_rels || v_rels; p_tids := p_tids || v_tids;
            END IF;
        END LOOP;
        SELECT array_agg(x.n) AS n, array_agg(x.rel) AS rels, array_agg(x.tid) AS tids INTO v_level
        FROM (SELECT f.* FROM unnest(p_n, p_rels, p_tids) f (n, rel, tid)
              EXCEPT SELECT s.* FROM unnest(v_seen_n, v_seen_rels, v_seen_tids) s) x
        WHERE x.n <> ALL (v_held);
    END LOOP;
    RETURN v_held;
END $function$;
