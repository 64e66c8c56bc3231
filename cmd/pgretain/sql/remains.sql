-- Returns the objects that pgretain has outside its schema: indexes, columns that "ensure" added,
-- and objects on which the worker has privileges.
-- $1: the schema of pgretain
-- $2: the worker; '' with "roles: none"
WITH relation AS (
    SELECT c.oid, c.relkind AS kind, c.relname AS name, n.nspname AS schema, c.relacl AS acl
    FROM pg_catalog.pg_class c
    JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
    WHERE n.nspname <> $1 AND n.nspname NOT LIKE 'pg\_temp%'
)
SELECT ARRAY(SELECT pg_catalog.format('%s.%s', r.schema, r.name) FROM relation r
             WHERE r.kind IN ('i', 'I') AND pg_catalog.obj_description(r.oid, 'pg_class') LIKE 'pgretain: index %'
             ORDER BY 1),
       ARRAY(SELECT pg_catalog.format('%s.%s.%s', r.schema, r.name, a.attname)
             FROM relation r JOIN pg_catalog.pg_attribute a ON a.attrelid = r.oid
             WHERE a.attnum > 0 AND a.attinhcount = 0
               AND pg_catalog.col_description(r.oid, a.attnum) LIKE 'pgretain: column of policy %'
             ORDER BY 1),
       ARRAY(SELECT x.name
             FROM (SELECT pg_catalog.format('%s.%s', r.schema, r.name), r.acl FROM relation r
                   UNION ALL
                   SELECT 'schema ' || n.nspname, n.nspacl FROM pg_catalog.pg_namespace n
                   WHERE n.nspname NOT IN ($1, 'cron')) x (name, acl), pg_catalog.aclexplode(x.acl) a
             JOIN pg_catalog.pg_roles w ON w.oid = a.grantee
             WHERE w.rolname = $2 AND a.grantor <> a.grantee
             GROUP BY x.name
             ORDER BY x.name);
