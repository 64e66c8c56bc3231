-- The foreign keys along which deletes from the given tables change rows of others (CASCADE, SET NULL, SET
-- DEFAULT), to any depth, each once and as it was declared: a key to or from a partition is one of its own, the
-- copies that PostgreSQL makes for partitions are none. Reads the catalog only.
CREATE OR REPLACE FUNCTION retention._cascades(p_tables oid[]) RETURNS SETOF pg_constraint
LANGUAGE sql STABLE
SET search_path = pg_catalog, pg_temp
AS $function$
    WITH RECURSIVE link AS (
        SELECT k.confrelid AS above, k.conrelid AS below FROM pg_constraint k
        WHERE k.contype = 'f' AND k.confdeltype = 'c' AND coalesce((to_jsonb(k) ->> 'conenforced')::boolean, true)
        UNION ALL
        SELECT i.inhparent, i.inhrelid FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid AND c.relispartition
    ), gone AS (
        SELECT t.oid FROM unnest(p_tables) t (oid)
        UNION
        SELECT l.below FROM gone g JOIN link l ON l.above = g.oid
    ), met AS (
        SELECT g.oid FROM gone g
        UNION
        SELECT a.relid FROM gone g CROSS JOIN LATERAL pg_partition_ancestors(g.oid) a (relid)
    )
    SELECT k.* FROM met m
    JOIN pg_constraint k ON k.confrelid = m.oid AND k.contype = 'f' AND k.conparentid = 0
                        AND k.confdeltype IN ('c', 'n', 'd')
                        AND coalesce((to_jsonb(k) ->> 'conenforced')::boolean, true)
$function$;
