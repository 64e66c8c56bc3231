-- What is in the runtime's schema beside functions: composite types, tables, views, sequences.
-- $1: the schema. "open" are the privileges of PUBLIC, those on a column with its name.
SELECT c.relname::text, c.relkind::text, pg_get_userbyid(c.relowner)::text,
       ARRAY(SELECT x.privilege_type::text FROM aclexplode(c.relacl) x WHERE x.grantee = 0
             UNION
             SELECT format('%s (%I)', x.privilege_type, a.attname)
             FROM pg_attribute a CROSS JOIN LATERAL aclexplode(a.attacl) x
             WHERE a.attrelid = c.oid AND NOT a.attisdropped AND x.grantee = 0
             ORDER BY 1) AS open
FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE n.nspname = $1 AND c.relkind IN ('c', 'r', 'p', 'v', 'S')
ORDER BY 1
