-- A finding on who can become the runtime's owner beside those who are trusted anyway. $1: the owner; $2: the runner; $3:
-- the other roles of the install; $4: tables of policies, as schema.table. Left out: superusers, those who
-- own such a table or can become somebody who does, and members of the runner as well, as roles that
-- migrate are.
SELECT 1 AS place, $1::text AS object, 'info' AS severity,
       format('%s can become "%s"', string_agg(format('"%s"', r.rolname), ', ' ORDER BY r.rolname), $1::text) AS message,
       'They can delete by hand and change the run log. They neither own a table of a policy nor are members of the runner, as a role that migrates is.' AS detail
FROM pg_roles r
JOIN pg_roles o ON o.rolname = $1
LEFT JOIN pg_roles u ON u.rolname = $2
WHERE r.oid <> o.oid AND r.rolcanlogin AND NOT r.rolsuper AND r.rolname <> ALL ($3::text[])
  AND pg_has_role(r.oid, o.oid, 'MEMBER') AND NOT coalesce(pg_has_role(r.oid, u.oid, 'MEMBER'), false)
  AND NOT EXISTS (SELECT FROM pg_class c JOIN pg_namespace s ON s.oid = c.relnamespace
                  WHERE s.nspname || '.' || c.relname = ANY ($4::text[]) AND c.relkind IN ('r', 'p')
                    AND pg_has_role(r.oid, c.relowner, 'MEMBER'))
HAVING count(*) > 0
