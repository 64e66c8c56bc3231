-- The foreign keys that deletes from tables meet, to any depth: its two tables as they stand in FROM (a plain table
-- ONLY; a partition by its root, where rights are) and how their rows match. Not those that are switched off; 'r' where
-- SET NULL is refused. missing says why nobody can look.
CREATE OR REPLACE FUNCTION retention._keys_reached(p_tables oid[])
RETURNS TABLE (
    n integer, action "char", deferred boolean, parent_root oid, child_root oid, parent_from text, child_from text,
    matches text, columns text[], path text, missing text)
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $function$
    WITH RECURSIVE reached AS (
        SELECT x.oid FROM retention._below(p_tables) b CROSS JOIN LATERAL (SELECT b AS oid UNION SELECT a.relid::oid
            FROM pg_partition_ancestors(b) a(relid)) x
        UNION SELECT x.oid FROM reached r
        JOIN retention._keys_to(ARRAY[r.oid]) k ON k.confdeltype = 'c' AND retention._key_off(k.oid) IS NOT TRUE
        CROSS JOIN LATERAL (SELECT k.conrelid AS oid
                            UNION SELECT a.relid::oid FROM pg_partition_ancestors(k.conrelid) a(relid)
                            UNION SELECT t.relid::oid FROM pg_partition_tree(k.conrelid) t) x
    )
    SELECT (row_number() OVER (ORDER BY retention._table_name(k.confrelid), retention._table_name(k.conrelid),
        k.conname))::integer,
           CASE WHEN s.refuses THEN 'r'::"char" ELSE k.confdeltype END, k.condeferred AND s.refuses IS FALSE,
           x.parent, x.child, x.parent_from, x.child_from,
           (SELECT string_agg(format('p.%I OPERATOR(%I.%s) c.%I', pa.attname, n.nspname, o.oprname, ca.attname),
               ' AND ' ORDER BY u.i)
            FROM unnest(k.conkey, k.confkey, k.conpfeqop) WITH ORDINALITY u (child, parent, operator, i)
            JOIN pg_attribute ca ON ca.attrelid = k.conrelid AND ca.attnum = u.child
            JOIN pg_attribute pa ON pa.attrelid = k.confrelid AND pa.attnum = u.parent
            JOIN pg_operator o ON o.oid = u.operator JOIN pg_namespace n ON n.oid = o.oprnamespace) || x.parts,
           ARRAY(SELECT a.attname::text FROM pg_attribute a WHERE a.attrelid = k.conrelid
               AND a.attnum = ANY (k.conkey)
               ORDER BY a.attname COLLATE "C"),
           format('%s -> %s (%s)', retention._table_name(k.confrelid), retention._table_name(k.conrelid), k.conname),
           CASE WHEN coalesce((to_jsonb(k) ->> 'conperiod')::boolean, false)
                THEN format('key "%s" goes by periods', k.conname)
                WHEN retention._key_off(k.oid) IS NULL THEN format('key "%s" is switched off for some partitions',
                    k.conname)
                WHEN s.refuses IS NULL THEN
                    format('key "%s" sets columns to NULL that are NOT NULL in some partitions', k.conname)
                WHEN NOT has_table_privilege(x.child, 'SELECT') OR NOT has_schema_privilege(c.relnamespace, 'USAGE')
                THEN format('role "%s" lacks SELECT on %s', current_user, retention._table_name(k.conrelid))
                WHEN NOT has_table_privilege(x.parent, 'SELECT') OR NOT has_schema_privilege(p.relnamespace, 'USAGE')
                THEN format('role "%s" lacks SELECT on %s', current_user, retention._table_name(k.confrelid))
                ELSE (SELECT u FROM retention._untrusted(ARRAY[x.parent, x.child], '{}') u LIMIT 1) END
    FROM reached r
    JOIN retention._keys_to(ARRAY[r.oid]) k ON k.conparentid = 0 AND retention._key_off(k.oid) IS NOT TRUE
    CROSS JOIN LATERAL (SELECT retention._key_refuses(k.oid) AS refuses) s
    CROSS JOIN LATERAL (
        SELECT coalesce(pg_partition_root(k.confrelid), k.confrelid)::oid AS parent,
            coalesce(pg_partition_root(k.conrelid), k.conrelid)::oid AS child) top
    JOIN pg_class p ON p.oid = top.parent JOIN pg_class c ON c.oid = top.child
    CROSS JOIN LATERAL (
        SELECT top.parent, top.child, CASE p.relkind WHEN 'p' THEN '' ELSE 'ONLY ' END
            || top.parent::regclass AS parent_from,
               CASE c.relkind WHEN 'p' THEN '' ELSE 'ONLY ' END || top.child::regclass AS child_from,
               -- A key of a part of a partitioned table, which is read from the top: rights end there.
               CASE WHEN top.parent <> k.confrelid THEN format(' AND p.tableoid = ANY (%L::oid[])',
                        ARRAY(SELECT t.relid::oid FROM pg_partition_tree(k.confrelid) t)) ELSE '' END
               || CASE WHEN top.child <> k.conrelid THEN format(' AND c.tableoid = ANY (%L::oid[])',
                        ARRAY(SELECT t.relid::oid FROM pg_partition_tree(k.conrelid) t)) ELSE '' END AS parts) x
$function$;
