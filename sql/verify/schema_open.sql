-- What PUBLIC may do with a schema. $1: schemas. One row per schema and privilege.
SELECT n.nspname::text, x.privilege_type::text
FROM pg_namespace n, aclexplode(coalesce(n.nspacl, acldefault('n', n.nspowner))) x
WHERE n.nspname = ANY ($1::text[]) AND x.grantee = 0
ORDER BY 1, 2
