-- $1: a role; $2: MEMBER, or SET from PostgreSQL 16 on, where a member need not be allowed to
-- SET ROLE; $3: the owner. No row: the role does not exist.
SELECT pg_has_role(r.oid, $2),
       pg_has_role(r.oid, 'USAGE'),
       r.rolcanlogin,
       has_database_privilege(r.oid, current_database(), 'CONNECT'),
       coalesce((SELECT pg_has_role(o.oid, r.oid, $2) AND pg_has_role(o.oid, r.oid, 'USAGE')
                 FROM pg_catalog.pg_roles o WHERE o.rolname = $3), true)
FROM pg_catalog.pg_roles r
WHERE r.rolname = $1;
