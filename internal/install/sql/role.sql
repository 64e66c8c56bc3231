-- $1: a role; $2: MEMBER, or SET from PostgreSQL 16 on, where a member need not be allowed to
-- SET ROLE. No row: the role does not exist.
SELECT pg_has_role(r.oid, $2),
       pg_has_role(r.oid, 'USAGE'),
       r.rolcanlogin,
       has_database_privilege(r.oid, current_database(), 'CONNECT')
FROM pg_catalog.pg_roles r
WHERE r.rolname = $1;
