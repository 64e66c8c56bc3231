-- $1: the runtime's schema. Is there a version table, and has it our column?
SELECT count(*) > 0, coalesce(bool_or(a.attname IS NOT NULL), false)
FROM pg_catalog.pg_class c
JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
LEFT JOIN pg_catalog.pg_attribute a ON a.attrelid = c.oid AND a.attname = 'pgretain_state' AND NOT a.attisdropped
WHERE n.nspname = $1 AND c.relname = 'goose_db_version' AND c.relkind = 'r';
