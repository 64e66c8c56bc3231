-- Returns the privileges of PUBLIC on a schema.
-- $1: the schema
SELECT x.privilege_type
FROM pg_namespace n, aclexplode(coalesce(n.nspacl, acldefault('n', n.nspowner))) x
WHERE n.nspname = $1 AND x.grantee = 0
ORDER BY 1
