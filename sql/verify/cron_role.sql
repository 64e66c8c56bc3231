-- Sets the session's role to $1. It does so only if row security hides jobs of schema cron from the
-- session's role, and that role may SET ROLE to $1.
-- $1: the runner, who sees its own jobs
SELECT set_config('role', r.rolname, true)
FROM pg_roles r JOIN pg_class c ON c.relname = 'job' JOIN pg_namespace n ON n.oid = c.relnamespace
    AND n.nspname = 'cron'
WHERE r.rolname = $1 AND pg_has_role(r.oid, 'MEMBER') AND row_security_active(c.oid)
