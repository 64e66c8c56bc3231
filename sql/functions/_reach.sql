-- Every table that a delete from the given tables changes through foreign keys (CASCADE, SET NULL,
-- SET DEFAULT), to any depth, with one path that leads there. Partitions and inheritance children
-- of the given tables are included. A key that is NOT ENFORCED (PostgreSQL 18) changes nothing. Reads the
-- catalog only.
CREATE OR REPLACE FUNCTION retention._reach(p_tables oid[])
RETURNS TABLE (reached oid, path text)
LANGUAGE sql STABLE
SET search_path = pg_catalog, pg_temp
AS $function$
    WITH RECURSIVE member AS (
        SELECT t.oid FROM unnest(p_tables) AS t(oid)
        UNION
        SELECT i.inhrelid FROM member m JOIN pg_inherits i ON i.inhparent = m.oid
    ), walk AS (
        SELECT m.oid AS rel, true AS goes_on, ARRAY[m.oid] AS seen,
               retention._table_name(m.oid) COLLATE "C" AS path
        FROM member m
        UNION ALL
        SELECT k.conrelid, k.confdeltype = 'c' AND k.conrelid <> ALL (w.seen),
               w.seen || k.conrelid,
               format('%s -> %s (%s)', w.path, retention._table_name(k.conrelid), k.conname) COLLATE "C"
        FROM walk w
        JOIN pg_constraint k ON k.confrelid = w.rel AND k.contype = 'f'
                            AND k.confdeltype IN ('c', 'n', 'd')
                            AND coalesce((to_jsonb(k) ->> 'conenforced')::boolean, true)
        WHERE w.goes_on AND cardinality(w.seen) <= 64
    )
    SELECT DISTINCT ON (1) coalesce(pg_partition_root(w.rel), w.rel)::oid, w.path
    FROM walk w
    WHERE cardinality(w.seen) > 1
    ORDER BY 1, cardinality(w.seen), w.path
$function$;
REVOKE ALL ON FUNCTION retention._reach(oid[]) FROM PUBLIC;
