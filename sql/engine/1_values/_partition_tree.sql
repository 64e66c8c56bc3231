-- _partition_tree returns all tables whose rows may be rows of the given tables ("schema.table").
-- These are the tables and their descendants. For a partition, they are the whole tree of its root.
CREATE OR REPLACE FUNCTION retention._partition_tree(p_tables text[]) RETURNS oid[]
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_generic_plan AS $function$
BEGIN
    RETURN ARRAY(SELECT retention._descendants(ARRAY(
        SELECT coalesce(pg_partition_root(t.oid), t.oid)::oid
            FROM unnest(retention._resolve_tables(p_tables)) t (oid))));
END $function$;
