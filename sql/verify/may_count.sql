-- Whether the role may call a policy's count function, NULL where there is none. $1: the runtime's
-- schema; $2: the function's name.
SELECT bool_or(has_function_privilege(p.oid, 'EXECUTE'))
FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace
WHERE n.nspname = $1 AND p.proname = $2
