-- $1: the runtime's schema. Needs no privilege.
SELECT pg_catalog.pg_is_in_recovery(),
       pg_catalog.current_database()::text,
       current_user::text,
       EXISTS (SELECT FROM pg_catalog.pg_class c
               JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
               WHERE n.nspname = $1 AND c.relname = 'install' AND c.relkind = 'r');
