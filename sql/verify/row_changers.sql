-- Returns roles that may change rows of policies by hand. A privilege on one column is enough.
-- $1: the owner
-- $2: runner, operator and viewer, except the one that is the owner
-- $3: tables of policies, of their archives, and other tables that policies change, as schema.table
-- The result has one row for each role and each set of privileges:
-- role: '' for PUBLIC. A privilege of PUBLIC is not repeated for each role. The query leaves out
--   superusers, and roles with pg_write_all_data.
-- owns: the role owns the tables
-- rights: the privileges, separated by ", "
-- tables: how many
-- named: the first five of these tables
WITH taken AS MATERIALIZED (
    SELECT c.oid, n.nspname || '.' || c.relname AS name, c.relowner, c.relacl
    FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE n.nspname || '.' || c.relname = ANY ($3::text[]) AND c.relkind IN ('r', 'p')
), hands AS (
    SELECT coalesce(r.rolname::text, '') AS role, coalesce(c.relowner = r.oid, false) AS owns, c.name,
           string_agg(p.name, ', ' ORDER BY p.n) AS rights
    FROM taken c
    CROSS JOIN unnest('{UPDATE,DELETE,TRUNCATE}'::text[]) WITH ORDINALITY AS p (name, n)
    CROSS JOIN LATERAL (
        SELECT coalesce(bool_or(a.grantee = 0 AND a.privilege_type = p.name), false) AS open
        FROM (SELECT t.grantee, t.privilege_type FROM aclexplode(c.relacl) t
              UNION ALL
              SELECT e.grantee, e.privilege_type
              FROM pg_attribute l CROSS JOIN LATERAL aclexplode(l.attacl) e
              WHERE l.attrelid = c.oid AND NOT l.attisdropped) a) everybody
    LEFT JOIN pg_roles o ON o.rolname = $1::text
    LEFT JOIN pg_roles r
           ON NOT everybody.open AND r.rolname = ANY ($2::text[]) AND NOT r.rolsuper
          AND NOT pg_has_role(r.oid, 'pg_write_all_data', 'USAGE') AND pg_has_role(r.oid, o.oid, 'MEMBER') IS NOT TRUE
          AND CASE p.name WHEN 'UPDATE' THEN has_any_column_privilege(r.oid, c.oid, p.name)
                   ELSE has_table_privilege(r.oid, c.oid, p.name) END
    WHERE everybody.open OR r.oid IS NOT NULL
    GROUP BY 1, 2, 3
)
SELECT h.role, h.owns, h.rights, count(*) AS tables, (array_agg(h.name ORDER BY h.name))[1:5] AS named
FROM hands h GROUP BY 1, 2, 3
ORDER BY 1, 2, 3
