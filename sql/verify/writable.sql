-- Tables of the runtime that a role may change by hand, all of a row or a column. $1: the runtime's schema; $2:
-- roles; $3: the runtime's owner. Of other roles those count that were granted it themselves, but for members of
-- the owner. Privileges of the roles through membership count; those of PUBLIC have a finding of their own.
WITH relation AS MATERIALIZED (
    SELECT c.oid, n.nspname || '.' || c.relname AS name, c.relowner, c.relacl
    FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE n.nspname = $1 AND c.relkind IN ('r', 'p')
), granted AS MATERIALIZED (
    SELECT r.oid, a.grantee, a.privilege_type AS privilege, false AS by_column
    FROM relation r CROSS JOIN LATERAL aclexplode(r.relacl) a
    WHERE a.grantee <> r.relowner
    UNION
    SELECT r.oid, e.grantee, e.privilege_type, true
    FROM relation r
    JOIN pg_attribute a ON a.attrelid = r.oid AND NOT a.attisdropped
    CROSS JOIN LATERAL aclexplode(a.attacl) e
    WHERE e.grantee <> r.relowner
)
SELECT x.role, x.privileges, array_agg(x.table_name ORDER BY x.table_name)
FROM (
    SELECT o.rolname::text AS role, r.name AS table_name, string_agg(p.name, ', ' ORDER BY p.n) AS privileges
    FROM pg_roles o
    CROSS JOIN relation r
    CROSS JOIN unnest('{INSERT,UPDATE,DELETE,TRUNCATE,REFERENCES,TRIGGER}'::text[]) WITH ORDINALITY AS p (name, n)
    CROSS JOIN LATERAL (
        SELECT coalesce(bool_or(g.grantee = o.oid), false) AS self,
               coalesce(bool_or(g.grantee = 0 AND NOT g.by_column), false) AS everybody,
               coalesce(bool_or(g.grantee = 0 AND g.by_column), false) AS everybody_by_column
        FROM granted g WHERE g.oid = r.oid AND g.privilege = p.name) has
    WHERE NOT o.rolsuper AND o.rolname <> $3
      AND (o.rolname = ANY ($2::text[])
           OR has.self AND NOT EXISTS (SELECT FROM pg_roles m WHERE m.rolname = $3 AND pg_has_role(o.oid, m.oid, 'MEMBER')))
      AND NOT has.everybody
      AND (has_table_privilege(o.oid, r.oid, p.name)
           OR p.name IN ('INSERT', 'UPDATE', 'REFERENCES') AND has_any_column_privilege(o.oid, r.oid, p.name)
              AND (has.self OR NOT has.everybody_by_column))
    GROUP BY 1, 2) x
GROUP BY 1, 2
ORDER BY 1, 2
