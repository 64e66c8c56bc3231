-- $1: the role that schedules jobs. Settings of pg_cron are read from pg_settings, which leaves out what the
-- role may not see; current_setting() raises.
SELECT EXISTS (SELECT FROM pg_catalog.pg_extension WHERE extname = 'pg_cron'),
       coalesce((SELECT s.setting FROM pg_catalog.pg_settings s WHERE s.name = 'cron.database_name'), ''),
       coalesce(has_schema_privilege($1::name, to_regnamespace('cron')::oid, 'USAGE'), false);
