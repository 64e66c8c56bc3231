-- Returns what would stop a migration when it installs policies. The runtime need not be there, so
-- the query looks at fewer things than _foreign_code().
-- $1: an array of objects, one for each policy, with these keys:
--   - policy: its name
--   - row: its row of the registry
-- $2: the schemas of the search path
-- $3: the owner of the runtime
-- $4: the roles of install.trust
-- fault: why
--   - 'triggers': roles that are not trusted may create triggers or foreign keys on a table
--   - 'schema': such roles may create objects in a schema of the search path
--   - 'owner': such a role owns the table
-- object: the table as SQL, or the schema
-- roles: these roles as SQL; the name of the owner
WITH owner AS (
    SELECT r.oid FROM pg_roles r WHERE r.rolname = $3::text
), trusted AS MATERIALIZED ( -- members of the owner are trusted, too
    SELECT r.oid FROM pg_roles r CROSS JOIN owner o
    WHERE r.rolname = ANY ($4::text[]) OR pg_has_role(r.oid, o.oid, 'MEMBER')
    UNION ALL
    SELECT 'pg_database_owner'::regrole::oid FROM pg_database d JOIN pg_roles r ON r.oid = d.datdba CROSS JOIN owner o
    WHERE d.datname = current_database() AND (r.rolname = ANY ($4::text[]) OR pg_has_role(r.oid, o.oid, 'MEMBER'))
), policy AS (
    SELECT p.policy, p.row FROM jsonb_to_recordset($1) AS p (policy text, row jsonb)
), named AS MATERIALIZED (
    SELECT min(p.policy) AS policy, c.oid
    FROM policy p CROSS JOIN LATERAL (
        SELECT d FROM jsonb_object_keys(p.row -> 'dependencies') d
        UNION SELECT t FROM jsonb_array_elements_text((p.row -> 'changes') || (p.row -> 'reach')) t) x (name)
    JOIN (pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace) ON n.nspname || '.' || c.relname = x.name
    GROUP BY c.oid
), touched AS MATERIALIZED ( -- with their partitions
    SELECT min(x.policy) AS policy, x.oid FROM (
        SELECT n.policy, n.oid FROM named n
        UNION ALL SELECT n.policy, t.relid FROM named n CROSS JOIN LATERAL pg_partition_tree(n.oid) t) x
    GROUP BY x.oid
), schema AS MATERIALIZED (
    SELECT min(x.policy) AS policy, n.oid, n.nspname, n.nspowner, n.nspacl
    FROM (SELECT p.policy, s.name FROM policy p CROSS JOIN LATERAL (
              SELECT unnest($2::text[]) UNION SELECT jsonb_array_elements_text(p.row -> 'schemas')) s (name)) x
    JOIN pg_namespace n ON n.nspname = x.name
    GROUP BY n.oid
), granted AS (
    SELECT t.policy, t.oid, a.grantee FROM touched t JOIN pg_class c ON c.oid = t.oid AND c.relkind IN ('r', 'p')
    CROSS JOIN aclexplode(c.relacl) a
    WHERE a.privilege_type IN ('TRIGGER', 'REFERENCES') AND a.grantee <> c.relowner
    UNION
    SELECT t.policy, t.oid, a.grantee FROM touched t JOIN pg_attribute c ON c.attrelid = t.oid AND c.attacl IS NOT NULL
    CROSS JOIN aclexplode(c.attacl) a WHERE a.privilege_type = 'REFERENCES'
), stranger AS ( -- a role that is not trusted, by name
    SELECT x.oid, CASE x.oid WHEN 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(x.oid)) END AS sql
    FROM (SELECT 0::oid AS oid UNION ALL SELECT r.oid FROM pg_roles r) x
    WHERE x.oid NOT IN (SELECT t.oid FROM trusted t) AND EXISTS (SELECT FROM owner)
)
SELECT g.policy, 'triggers' AS fault, g.oid::regclass::text AS object, string_agg(s.sql, ', ' ORDER BY s.sql) AS roles
FROM granted g JOIN stranger s ON s.oid = g.grantee GROUP BY g.policy, g.oid
UNION ALL
SELECT n.policy, 'schema', n.nspname::text, string_agg(s.sql, ', ' ORDER BY s.sql)
FROM schema n CROSS JOIN LATERAL (
    SELECT DISTINCT a.grantee FROM aclexplode(n.nspacl) a WHERE a.privilege_type = 'CREATE') a
JOIN stranger s ON s.oid = a.grantee GROUP BY n.policy, n.oid, n.nspname
UNION ALL
SELECT t.policy, 'owner', t.oid::regclass::text, pg_get_userbyid(c.relowner)
FROM touched t JOIN pg_class c ON c.oid = t.oid JOIN stranger s ON s.oid = c.relowner
ORDER BY 1, 3, 2
