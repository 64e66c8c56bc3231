-- Parameter: $1 schema of the runtime. Needs no privilege on it. Returns whether the server is a
-- standby, the database, the role, and whether the runtime is installed.
SELECT pg_catalog.pg_is_in_recovery(),
       pg_catalog.current_database()::text,
       current_user::text,
       EXISTS (SELECT FROM pg_catalog.pg_class c
               JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
               WHERE n.nspname = $1 AND c.relname = 'install' AND c.relkind = 'r');
