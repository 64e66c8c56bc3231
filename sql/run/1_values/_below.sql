-- Tables with all that inherit from them, their partitions included. Locks nothing, which pg_partition_tree() does.
CREATE OR REPLACE FUNCTION retention._below(p_tables oid[]) RETURNS SETOF oid LANGUAGE plpgsql STABLE ROWS 1
SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_generic_plan AS $function$
BEGIN
    RETURN QUERY WITH RECURSIVE member AS (
        SELECT t.oid FROM unnest(p_tables) t (oid)
        UNION SELECT i.inhrelid FROM member m JOIN pg_inherits i ON i.inhparent = m.oid
    )
    SELECT m.oid FROM member m;
END $function$;
