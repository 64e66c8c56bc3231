-- The functions of a schema that the role may call. $1: the schema; $2: names.
SELECT p.proname::text
FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace
WHERE n.nspname = $1 AND p.proname = ANY ($2::text[]) AND has_function_privilege(p.oid, 'EXECUTE')
