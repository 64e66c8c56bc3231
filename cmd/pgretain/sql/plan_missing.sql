-- $1: relations as "schema.name", or columns as "schema.name.column", unquoted. Those that are not there.
SELECT ARRAY(SELECT x.name FROM unnest($1::text[]) x (name) WHERE NOT EXISTS (
    SELECT FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname || '.' || c.relname = x.name
    UNION ALL
    SELECT FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE n.nspname || '.' || c.relname || '.' || a.attname = x.name AND NOT a.attisdropped));
