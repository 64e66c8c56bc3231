-- Findings on roles that may change or take rows of tables by hand, a column of them at least: for information where the
-- application chose it, since it gave everybody these rights, or the install an owner of its tables for a role. $1:
-- tables, as schema.table; $2: roles; $3: the runtime's owner. PUBLIC is one of the roles, under the name ''; what everybody has is not repeated for the
-- others, nor what they have as members of the owner or of pg_write_all_data.
SELECT 1 AS place, coalesce(nullif(y.role, ''), 'PUBLIC') AS object, CASE WHEN y.role = '' OR y.owns THEN 'info' ELSE 'drift' END AS severity,
       CASE WHEN y.role = '' THEN format('PUBLIC has %s on %s', y.rights, y.tables)
            WHEN y.owns THEN format('role "%s" owns %s', y.role, y.tables)
            ELSE format('role "%s" has %s on %s', y.role, y.rights, y.tables) END AS message,
       CASE y.role WHEN '' THEN 'Everybody' ELSE 'It' END
       || ' can delete or change rows by hand, past holds, guards, breaker and run log.' AS detail,
       CASE WHEN y.role = '' THEN format('Revoke %s on these tables from PUBLIC, unless the application needs it.', y.rights)
            WHEN y.owns THEN ''
            ELSE format('Revoke %s on these tables from "%s", or end the membership that gives it.', y.rights, y.role) END AS hint
FROM (
SELECT x.role, x.owns, x.rights,
       array_to_string((array_agg(x.name ORDER BY x.name))[1:5], ', ')
       || CASE WHEN count(*) > 5 THEN format(', %s more', count(*) - 5) ELSE '' END AS tables
FROM (
    SELECT coalesce(r.rolname::text, '') AS role, coalesce(c.relowner = r.oid, false) AS owns,
           n.nspname || '.' || c.relname AS name, string_agg(p.name, ', ' ORDER BY p.n) AS rights
    FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
    CROSS JOIN unnest('{UPDATE,DELETE,TRUNCATE}'::text[]) WITH ORDINALITY AS p (name, n)
    CROSS JOIN LATERAL (
        SELECT coalesce(bool_or(a.grantee = 0 AND a.privilege_type = p.name), false) AS open
        FROM (SELECT t.grantee, t.privilege_type FROM aclexplode(c.relacl) t
              UNION ALL
              SELECT e.grantee, e.privilege_type
              FROM pg_attribute l CROSS JOIN LATERAL aclexplode(l.attacl) e
              WHERE l.attrelid = c.oid AND NOT l.attisdropped) a) everybody
    LEFT JOIN pg_roles r
           ON NOT everybody.open AND r.rolname = ANY ($2::text[]) AND NOT r.rolsuper
          AND NOT pg_has_role(r.oid, 'pg_write_all_data', 'USAGE')
          AND NOT EXISTS (SELECT FROM pg_roles o WHERE o.rolname = $3 AND pg_has_role(r.oid, o.oid, 'MEMBER'))
          AND CASE p.name WHEN 'UPDATE' THEN has_any_column_privilege(r.oid, c.oid, p.name)
                   ELSE has_table_privilege(r.oid, c.oid, p.name) END
    WHERE n.nspname || '.' || c.relname = ANY ($1::text[]) AND c.relkind IN ('r', 'p')
      AND (everybody.open OR r.oid IS NOT NULL)
    GROUP BY 1, 2, 3) x
GROUP BY 1, 2, 3) y
ORDER BY y.role, y.owns, y.rights
