-- Where and as whom the verifier looks. $1: the runtime's schema. One row: database, role, time,
-- the zone in which pg_cron counts (GMT where pg_cron is too old to have one, or the role may not see
-- it), whether other sessions are visible, whether the schema is
-- there, whether the role may use it, and its owner.
SELECT current_database()::text, current_user::text, clock_timestamp(),
       coalesce((SELECT nullif(s.setting, '') FROM pg_settings s WHERE s.name = 'cron.timezone'), 'GMT'),
       pg_has_role(current_user, 'pg_read_all_stats', 'USAGE'),
       n.oid IS NOT NULL,
       coalesce(has_schema_privilege(n.oid, 'USAGE'), false),
       coalesce(pg_get_userbyid(n.nspowner)::text, '')
FROM (SELECT) AS one LEFT JOIN pg_namespace n ON n.nspname = $1
