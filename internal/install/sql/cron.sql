-- $1: the role that schedules jobs; $2: the database that they run in. Whether the extension is here,
-- the role may use it, and schedule in other databases; whether that database is there, and the role
-- may connect to it.
SELECT EXISTS (SELECT FROM pg_catalog.pg_extension WHERE extname = 'pg_cron'),
       coalesce(has_schema_privilege($1::name, to_regnamespace('cron')::oid, 'USAGE'), false),
       -- Not by to_regprocedure, which needs USAGE itself.
       EXISTS (SELECT FROM pg_catalog.pg_proc p
               WHERE p.pronamespace = to_regnamespace('cron')::oid AND p.proname = 'schedule_in_database'
                 AND has_function_privilege($1::name, p.oid, 'EXECUTE')),
       d.oid IS NOT NULL,
       coalesce(has_database_privilege($1::name, d.oid, 'CONNECT'), false)
FROM (SELECT) AS one
LEFT JOIN pg_catalog.pg_database d ON d.datname = $2;
