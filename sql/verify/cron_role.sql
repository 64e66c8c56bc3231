-- Sets the session's role to $1, to whom row security shows its jobs, if the session's role may do
-- so and does not see the jobs itself.
SELECT set_config('role', r.rolname, true)
FROM pg_roles r JOIN pg_class c ON c.relname = 'job' JOIN pg_namespace n ON n.oid = c.relnamespace
    AND n.nspname = 'cron'
WHERE r.rolname = $1 AND pg_has_role(r.oid, 'MEMBER') AND row_security_active(c.oid)
