-- $1: the runtime's schema. False: the runtime is there, and no version table of "pgretain migrate".
SELECT coalesce(bool_or(c.relname = 'goose_db_version'), true)
FROM pg_catalog.pg_class c
JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
WHERE n.nspname = $1 AND c.relname IN ('goose_db_version', 'policy') AND c.relkind = 'r';
