-- _keys_reached returns the foreign keys that deletes from tables reach, to any depth.
-- parent_from, child_from: the two tables as in a FROM clause. A plain table has ONLY. A partition
--   is replaced by its root, because privileges are granted on the root.
-- matches: the condition that a row of the one table refers to a row of the other
-- missing: why the worker cannot follow rows along the key, or NULL
CREATE OR REPLACE FUNCTION retention._keys_reached(p_tables oid[])
RETURNS TABLE (
    n integer, action "char", deferred boolean, parent_root oid, child_root oid, parent_from text, child_from text,
    matches text, columns text[], path text, missing text)
LANGUAGE plpgsql STABLE ROWS 1 SET search_path = pg_catalog, pg_temp AS $function$
#variable_conflict use_column
DECLARE
    -- The name is '' if one role has all tasks.
    v_worker CONSTANT name := coalesce(nullif('retention_worker', ''), current_user);
BEGIN
    RETURN QUERY WITH RECURSIVE reached AS (
        SELECT b AS oid
        FROM retention._descendants(ARRAY(SELECT coalesce(pg_partition_root(t), t)::oid FROM unnest(p_tables) t)) b
        UNION SELECT b FROM reached r JOIN retention._keys_to(ARRAY[r.oid]) k ON k.action = 'c'
        CROSS JOIN LATERAL retention._descendants(ARRAY[coalesce(pg_partition_root(k.conrelid), k.conrelid)::oid]) b
    )
    SELECT (row_number() OVER (ORDER BY retention._table_name(k.confrelid), retention._table_name(k.conrelid),
        k.conname))::integer,
           k.action, k.deferred, x.parent, x.child,
           CASE p.relkind WHEN 'p' THEN '' ELSE 'ONLY ' END || x.parent::regclass,
           CASE c.relkind WHEN 'p' THEN '' ELSE 'ONLY ' END || x.child::regclass,
           (SELECT string_agg(format('p.%I OPERATOR(%I.%s) c.%I', pa.attname, n.nspname, o.oprname, ca.attname),
               ' AND ' ORDER BY u.i)
            FROM unnest(k.conkey, k.confkey, k.conpfeqop) WITH ORDINALITY u (child, parent, operator, i)
            JOIN pg_attribute ca ON ca.attrelid = k.conrelid AND ca.attnum = u.child
            JOIN pg_attribute pa ON pa.attrelid = k.confrelid AND pa.attnum = u.parent
            JOIN pg_operator o ON o.oid = u.operator JOIN pg_namespace n ON n.oid = o.oprnamespace)
           -- The key may belong to a partition, but the root is read.
           || CASE WHEN x.parent <> k.confrelid THEN format(' AND p.tableoid = ANY (%L::oid[])',
                  ARRAY(SELECT t.relid::oid FROM pg_partition_tree(k.confrelid) t)) ELSE '' END
           || CASE WHEN x.child <> k.conrelid THEN format(' AND c.tableoid = ANY (%L::oid[])',
                  ARRAY(SELECT t.relid::oid FROM pg_partition_tree(k.conrelid) t)) ELSE '' END,
           ARRAY(SELECT a.attname::text FROM pg_attribute a
                 WHERE a.attrelid = k.conrelid AND a.attnum = ANY (k.conkey) ORDER BY a.attname COLLATE "C"),
           format('%s -> %s (%s)', retention._table_name(k.confrelid), retention._table_name(k.conrelid), k.conname),
           CASE WHEN (SELECT (to_jsonb(o) ->> 'conperiod')::boolean FROM pg_constraint o WHERE o.oid = k.oid)
                THEN format('key "%s" compares periods', k.conname)
                WHEN NOT has_table_privilege(v_worker, x.child, 'SELECT')
                    OR NOT has_schema_privilege(v_worker, c.relnamespace, 'USAGE')
                THEN format('role "%s" lacks SELECT on %s', v_worker, retention._table_name(k.conrelid))
                WHEN NOT has_table_privilege(v_worker, x.parent, 'SELECT')
                    OR NOT has_schema_privilege(v_worker, p.relnamespace, 'USAGE')
                THEN format('role "%s" lacks SELECT on %s', v_worker, retention._table_name(k.confrelid))
                ELSE (SELECT u FROM retention._untrusted(ARRAY[x.parent, x.child], '{}') u LIMIT 1) END
    FROM reached r
    JOIN retention._keys_to(ARRAY[r.oid]) k ON k.conparentid = 0
    CROSS JOIN LATERAL (
        SELECT coalesce(pg_partition_root(k.confrelid), k.confrelid)::oid AS parent,
            coalesce(pg_partition_root(k.conrelid), k.conrelid)::oid AS child) x
    JOIN pg_class p ON p.oid = x.parent JOIN pg_class c ON c.oid = x.child;
END $function$;
