-- $1: the runtime's schema.
SELECT EXISTS (
    SELECT
    FROM pg_catalog.pg_class c
    JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
    WHERE n.nspname = $1 AND c.relname = 'goose_db_version' AND c.relkind = 'r'
);
