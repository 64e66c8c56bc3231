-- Sets rehearsal.migrator to the migrating role. This is the role that owns most of the tables $1,
-- as in production. If superusers own all of them, it is rehearsal_migrator.
SELECT set_config('rehearsal.migrator', coalesce((
    SELECT r.rolname
    FROM pg_class c
    JOIN pg_namespace n ON n.oid = c.relnamespace
    JOIN pg_roles r ON r.oid = c.relowner AND NOT r.rolsuper
    WHERE n.nspname || '.' || c.relname = ANY ($1)
    GROUP BY r.rolname ORDER BY count(*) DESC, r.rolname LIMIT 1), 'rehearsal_migrator'), false)
