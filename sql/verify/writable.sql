-- Tables of the runtime that a role may change by hand. $1: the runtime's schema; $2: roles.
-- Privileges through membership count.
SELECT r.rolname::text, c.relname::text, string_agg(p.name, ', ' ORDER BY p.n)
FROM pg_roles r
CROSS JOIN pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
CROSS JOIN unnest('{INSERT,UPDATE,DELETE,TRUNCATE}'::text[]) WITH ORDINALITY AS p (name, n)
WHERE r.rolname = ANY ($2::text[]) AND NOT r.rolsuper
  AND n.nspname = $1 AND c.relkind IN ('r', 'p') AND has_table_privilege(r.oid, c.oid, p.name)
GROUP BY 1, 2
ORDER BY 1, 2
