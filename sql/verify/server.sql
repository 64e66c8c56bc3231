-- Where and as whom the verifier looks. $1: the runtime's schema. One row: database, role, time,
-- whether other sessions are visible, whether the schema is
-- there, whether the role may use it, and its owner.
SELECT current_database()::text, current_user::text, clock_timestamp(),
       pg_has_role(current_user, 'pg_read_all_stats', 'USAGE'),
       n.oid IS NOT NULL,
       coalesce(has_schema_privilege(n.oid, 'USAGE'), false),
       coalesce(pg_get_userbyid(n.nspowner)::text, '')
FROM (SELECT) AS one LEFT JOIN pg_namespace n ON n.nspname = $1
