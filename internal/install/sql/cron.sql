-- Returns the first fault that prevents a role from scheduling jobs. If the server does not load
-- pg_cron for this database, the migrations apply without their jobs. That is a fault only for
-- migrations for the database of schema cron.
-- Parameters: $1 role, $2 database in which jobs run, $3 whether these are migrations for the
-- database of schema cron, $4 whether that is another database.
-- Columns of the result:
-- - fault:
--   - "not loaded", "loaded here", "loaded elsewhere": the extension is not installed, and this is
--     where the server loads it
--   - "no usage": the role has no USAGE on schema cron
--   - "no execute": the role has no EXECUTE on cron.schedule_in_database
--   - "other server": the server has no database $2
--   - "no connect": the role has no CONNECT on database $2
-- - here: the database of the session
-- - home: the database for which the server loads pg_cron, or ''
SELECT f.fault, c.here::text, c.home
FROM (
    SELECT current_database() AS here,
           EXISTS (SELECT FROM pg_catalog.pg_extension WHERE extname = 'pg_cron') AS installed,
           -- For a setting that the role cannot read, current_setting() would raise an error.
           coalesce((SELECT s.setting FROM pg_catalog.pg_settings s WHERE s.name = 'cron.database_name'), '') AS home
) AS c
LEFT JOIN pg_catalog.pg_database d ON d.datname = $2
CROSS JOIN LATERAL (VALUES
    (1, 'not loaded', NOT c.installed AND $3::boolean AND c.home = ''),
    (2, 'loaded here', NOT c.installed AND c.home = c.here),
    (3, 'loaded elsewhere', NOT c.installed AND $3::boolean),
    (4, 'no usage',
        c.installed AND NOT coalesce(has_schema_privilege($1::name, to_regnamespace('cron')::oid, 'USAGE'), false)),
    -- to_regprocedure() would need USAGE on the schema.
    (5, 'no execute',
        $3 AND NOT EXISTS (SELECT FROM pg_catalog.pg_proc p
                           WHERE p.pronamespace = to_regnamespace('cron')::oid AND p.proname = 'schedule_in_database'
                             AND has_function_privilege($1::name, p.oid, 'EXECUTE'))),
    (6, 'other server', $3 AND $4::boolean AND d.oid IS NULL),
    (7, 'no connect', $3 AND $4 AND NOT coalesce(has_database_privilege($1::name, d.oid, 'CONNECT'), false))
) AS f (part, fault, wrong)
WHERE f.wrong
ORDER BY f.part
LIMIT 1;
