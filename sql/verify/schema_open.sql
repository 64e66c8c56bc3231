-- Findings on what PUBLIC may do with a schema. $1: the schema.
SELECT 1 AS place, n.nspname::text AS object, format('PUBLIC has %s on schema "%s"', x.privilege_type, n.nspname) AS message,
       format('REVOKE %s ON SCHEMA %I FROM PUBLIC;', x.privilege_type, n.nspname) AS hint
FROM pg_namespace n, aclexplode(coalesce(n.nspacl, acldefault('n', n.nspowner))) x
WHERE n.nspname = $1 AND x.grantee = 0
ORDER BY 3
