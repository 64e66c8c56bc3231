-- _table_name returns the name that the registry has for a table. For a partition it returns the
-- name of its root.
CREATE OR REPLACE FUNCTION retention._table_name(p_table oid) RETURNS text
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $function$
BEGIN
    RETURN (
        SELECT n.nspname || '.' || c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
        WHERE c.oid = coalesce(pg_partition_root(p_table), p_table));
END $function$;
