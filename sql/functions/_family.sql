-- The tables whose rows may be rows of the given ones ("schema.table"): all below them, and for a partition all below
-- its root.
CREATE OR REPLACE FUNCTION retention._family(p_tables text[]) RETURNS oid[]
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $function$
    WITH RECURSIVE member AS (
        SELECT coalesce(pg_partition_root(c.oid), c.oid)::oid AS oid
        FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
        WHERE n.nspname || '.' || c.relname = ANY (p_tables) AND c.relkind IN ('r', 'p', 'f')
        UNION SELECT i.inhrelid FROM member m JOIN pg_inherits i ON i.inhparent = m.oid
    )
    SELECT coalesce(array_agg(m.oid), '{}') FROM member m
$function$;
