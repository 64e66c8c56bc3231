-- What a role may not do with a table although it should. $1: the role; $2: the table, as
-- schema.table; $3: privileges. One row per missing privilege.
SELECT p.name
FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
JOIN pg_roles r ON r.rolname = $1
CROSS JOIN unnest($3::text[]) WITH ORDINALITY AS p (name, n)
WHERE n.nspname || '.' || c.relname = $2
  AND NOT (has_table_privilege(r.oid, c.oid, p.name) AND has_schema_privilege(r.oid, n.oid, 'USAGE'))
ORDER BY p.n
