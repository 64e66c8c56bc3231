-- What a role may not do with tables although it should. $1: the role; $2: tables, as schema.table; $3:
-- the privileges on each, with ", " between them. One row per missing privilege: the table's place, the
-- privilege.
SELECT w.n::integer, p.name
FROM unnest($2::text[], $3::text[]) WITH ORDINALITY AS w (name, privileges, n)
JOIN (pg_class c JOIN pg_namespace s ON s.oid = c.relnamespace) ON s.nspname || '.' || c.relname = w.name
JOIN pg_roles r ON r.rolname = $1
CROSS JOIN unnest(string_to_array(w.privileges, ', ')) WITH ORDINALITY AS p (name, n)
WHERE NOT (has_table_privilege(r.oid, c.oid, p.name) AND has_schema_privilege(r.oid, s.oid, 'USAGE'))
ORDER BY w.n, p.n
