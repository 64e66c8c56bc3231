-- Findings on tables of the runtime that a role may change by hand, all of a row or a column. $1: the runtime's
-- schema; $2: roles; $3: the runtime's owner; $4: the worker, $5: tables that it should write, $6: a privilege on each.
-- Of other roles those count that were granted it themselves, but for members of the owner. Privileges of the roles
-- through membership count; those of PUBLIC have a finding of their own.
WITH relation AS MATERIALIZED (
    SELECT c.oid, n.nspname || '.' || c.relname AS name, format('%I.%I', n.nspname, c.relname) AS sql, c.relowner, c.relacl
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
SELECT 1 AS place, x.role AS object, format('role "%s" has %s on %s', x.role, x.privileges, string_agg(x.name, ', ' ORDER BY x.name)) AS message,
       'It could change by hand what only the runtime''s functions may change. Where a membership gives it that, end the membership.' AS detail,
       format('REVOKE %s ON %s FROM %I;', x.privileges, string_agg(x.sql, ', ' ORDER BY x.name), x.role) AS hint
FROM (
    SELECT o.rolname::text AS role, r.name, r.sql, string_agg(p.name, ', ' ORDER BY p.n) AS privileges
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
    GROUP BY 1, 2, 3
    HAVING o.rolname::text <> $4 OR NOT bool_and(EXISTS (SELECT FROM unnest($5::text[], $6::text[]) AS w (name, privilege)
                                                         WHERE w.name = r.name AND w.privilege = p.name))) x
GROUP BY x.role, x.privileges
ORDER BY 2, 3
