-- $1: a schema; $2: the role that must be able to create objects in it. No row: no such schema.
SELECT pg_get_userbyid(n.nspowner)::text,
       has_schema_privilege($2::name, n.oid, 'CREATE')
FROM pg_catalog.pg_namespace n
WHERE n.nspname = $1;
