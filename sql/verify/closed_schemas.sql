-- Returns the schemas among $1 on which the session's role lacks USAGE.
-- $1: names of schemas
SELECT n.nspname::text
FROM pg_namespace n
WHERE n.nspname = ANY ($1::text[]) AND NOT has_schema_privilege(n.oid, 'USAGE')
ORDER BY 1
