-- _descendants returns tables, and all tables that inherit from them, partitions included. It locks
-- no table, unlike pg_partition_tree().
CREATE OR REPLACE FUNCTION retention._descendants(p_tables oid[]) RETURNS SETOF oid LANGUAGE plpgsql STABLE ROWS 1
SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_generic_plan SET enable_seqscan = off
SET jit = off AS $function$
BEGIN
    RETURN QUERY WITH RECURSIVE member AS (
        SELECT t.oid FROM unnest(p_tables) t (oid)
        -- OFFSET 0 makes the planner use the index, even if pg_inherits is large.
        UNION SELECT i.inhrelid FROM member m CROSS JOIN LATERAL (
            SELECT x.inhrelid FROM pg_inherits x WHERE x.inhparent = m.oid OFFSET 0) i
    )
    SELECT m.oid FROM member m;
END $function$;
