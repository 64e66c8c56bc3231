-- Returns the roles that can become the owner and log in, although they neither own a table of a
-- policy nor are members of the runner, as a role that migrates is. It leaves out superusers.
-- $1: the owner
-- $2: the runner
-- $3: runner, operator and viewer, except the one that is the owner
-- $4: tables of policies, of their archives, and other tables that policies change, as schema.table
SELECT r.rolname::text
FROM pg_roles o JOIN pg_roles r ON r.oid <> o.oid AND r.rolcanlogin AND NOT r.rolsuper
    AND r.rolname <> ALL ($3::text[])
WHERE o.rolname = $1::text AND pg_has_role(r.oid, o.oid, 'MEMBER')
  AND pg_has_role(r.oid, (SELECT u.oid FROM pg_roles u WHERE u.rolname = $2::text), 'MEMBER') IS NOT TRUE
  AND NOT EXISTS (
      SELECT FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
      WHERE n.nspname || '.' || c.relname = ANY ($4::text[]) AND c.relkind IN ('r', 'p')
        AND pg_has_role(r.oid, c.relowner, 'MEMBER'))
ORDER BY 1
