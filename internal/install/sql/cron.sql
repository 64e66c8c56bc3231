-- $1: the role that schedules jobs.
SELECT EXISTS (SELECT FROM pg_catalog.pg_extension WHERE extname = 'pg_cron'),
       coalesce(current_setting('cron.database_name', true), ''),
       coalesce(has_schema_privilege($1::name, to_regnamespace('cron')::oid, 'USAGE'), false);
