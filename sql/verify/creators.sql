-- Who may create in schemas beside those who may do anything there. $1: schemas; $2: the runtime's owner;
-- $3: tables of policies, as schema.table, whose owners are trusted: their triggers run in every batch.
-- Members of all these are among them; PUBLIC has a finding of its own. One row per schema and role.
SELECT n.nspname::text, g.rolname::text
FROM pg_namespace n
CROSS JOIN LATERAL aclexplode(n.nspacl) x
JOIN pg_roles g ON g.oid = x.grantee
LEFT JOIN pg_roles o ON o.rolname = $2
WHERE n.nspname = ANY ($1::text[]) AND x.privilege_type = 'CREATE' AND NOT g.rolsuper
  AND NOT pg_has_role(g.oid, n.nspowner, 'MEMBER')
  AND NOT coalesce(pg_has_role(g.oid, o.oid, 'MEMBER'), false)
  AND NOT EXISTS (SELECT FROM pg_class c JOIN pg_namespace s ON s.oid = c.relnamespace
                  WHERE s.nspname || '.' || c.relname = ANY ($3::text[]) AND c.relkind IN ('r', 'p')
                    AND pg_has_role(g.oid, c.relowner, 'MEMBER'))
ORDER BY 1, 2
