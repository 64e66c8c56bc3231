-- Returns whether the schema has an install whose tables the role of the session may read.
-- $1: the schema
SELECT count(*) = 3
FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE n.nspname = $1 AND c.relname IN ('install', 'policy', 'index_definition') AND c.relkind = 'r'
  AND has_schema_privilege(n.oid, 'USAGE') AND has_table_privilege(c.oid, 'SELECT')
  AND (c.relname <> 'install' OR EXISTS (
      SELECT FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attname = 'state' AND NOT a.attisdropped));
