-- A table by its name "schema.table" and all partitions below it; empty where there is none. A foreign key
-- of a partition is the business of its rows alone. Reads the catalog only.
CREATE OR REPLACE FUNCTION retention._parts(p_table text) RETURNS oid[]
LANGUAGE sql STABLE
SET search_path = pg_catalog, pg_temp
AS $function$
    WITH RECURSIVE part AS (
        SELECT c.oid FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
        WHERE n.nspname || '.' || c.relname = p_table
        UNION
        SELECT i.inhrelid FROM part p JOIN pg_inherits i ON i.inhparent = p.oid
    )
    SELECT coalesce(array_agg(p.oid), '{}') FROM part p
$function$;
REVOKE ALL ON FUNCTION retention._parts(text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION retention._parts(text) TO retention_operator, retention_viewer;
