-- Schemas that the role cannot look into. $1: names. One row per schema without USAGE.
SELECT n.nspname::text
FROM pg_namespace n
WHERE n.nspname = ANY ($1::text[]) AND NOT has_schema_privilege(n.oid, 'USAGE')
ORDER BY 1
