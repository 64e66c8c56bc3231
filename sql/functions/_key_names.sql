-- How the registry may know a foreign key (policy.known_keys): by its tables, columns and action, a partition
-- also by any table above it, whose key says the same of more rows.
CREATE OR REPLACE FUNCTION retention._key_names(p_key pg_constraint) RETURNS text[]
LANGUAGE sql STABLE
SET search_path = pg_catalog, pg_temp
AS $function$
    WITH name AS (
        SELECT x.side, n.nspname || '.' || c.relname || format('(%s)', (
                   SELECT string_agg(a.attname, ', ' ORDER BY u.i)
                   FROM unnest(CASE x.side WHEN 1 THEN p_key.conkey ELSE p_key.confkey END) WITH ORDINALITY u (attnum, i)
                   JOIN pg_attribute a ON a.attnum = u.attnum
                    AND a.attrelid = CASE x.side WHEN 1 THEN p_key.conrelid ELSE p_key.confrelid END)) AS text
        FROM (VALUES (1, p_key.conrelid), (2, p_key.confrelid)) x (side, rel)
        CROSS JOIN LATERAL (SELECT x.rel AS oid UNION SELECT a.relid FROM pg_partition_ancestors(x.rel) a (relid)) t
        JOIN pg_class c ON c.oid = t.oid
        JOIN pg_namespace n ON n.oid = c.relnamespace
    )
    SELECT array_agg(format('%s -> %s %s', f.text, t.text,
                            CASE p_key.confdeltype WHEN 'c' THEN 'cascade' WHEN 'n' THEN 'set null' ELSE 'set default' END))
    FROM name f JOIN name t ON f.side = 1 AND t.side = 2
$function$;
REVOKE ALL ON FUNCTION retention._key_names(pg_constraint) FROM PUBLIC;
