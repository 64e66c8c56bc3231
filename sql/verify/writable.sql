-- Tables of the runtime that a role may change by hand. $1: the runtime's schema; $2: roles.
-- Privileges through membership count; those of PUBLIC have a finding of their own.
SELECT x.role, x.privileges, array_agg(x.table_name ORDER BY x.table_name)
FROM (
    SELECT r.rolname::text AS role, n.nspname || '.' || c.relname AS table_name,
           string_agg(p.name, ', ' ORDER BY p.n) AS privileges
    FROM pg_roles r
    CROSS JOIN pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
    CROSS JOIN unnest('{INSERT,UPDATE,DELETE,TRUNCATE}'::text[]) WITH ORDINALITY AS p (name, n)
    WHERE r.rolname = ANY ($2::text[]) AND NOT r.rolsuper
      AND n.nspname = $1 AND c.relkind IN ('r', 'p') AND has_table_privilege(r.oid, c.oid, p.name)
      AND NOT EXISTS (SELECT FROM aclexplode(c.relacl) a
                      WHERE a.grantee = 0 AND a.privilege_type = p.name)
    GROUP BY 1, 2) x
GROUP BY 1, 2
ORDER BY 1, 2
