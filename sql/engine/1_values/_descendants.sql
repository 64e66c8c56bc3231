-- _descendants returns tables, and all tables that inherit from them, partitions included. It locks
-- no table, unlike pg_partition_tree().
CREATE OR REPLACE FUNCTION retention._descendants(p_tables oid[]) RETURNS SETOF oid LANGUAGE plpgsql STABLE ROWS 1
SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_generic_plan SET enable_seqscan = off
SET jit = off AS $function$
BEGIN
    RETURN QUERY WITH RECURSIVE member AS (
        SELECT t.oid FROM unnest(p_tables) t (oid)
        -- The array makes the planner use the index, even if pg_inherits is large. For a join the
        -- planner would size the hash table of UNION by the table with the most partitions.
        UNION SELECT i.oid FROM member m CROSS JOIN LATERAL unnest(ARRAY(
            SELECT x.inhrelid FROM pg_inherits x WHERE x.inhparent = m.oid)) i (oid)
    )
    SELECT m.oid FROM member m;
END $function$;
