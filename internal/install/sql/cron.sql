-- Returns message, detail and hint of the first fault that prevents a role from scheduling jobs. If
-- the server does not load pg_cron for this database, the migrations apply without their jobs. That
-- is a fault only for migrations for the database of schema cron.
-- Parameters: $1 role, $2 database in which jobs run, $3 whether these are migrations for the
-- database of schema cron, $4 whether that is another database, $5 hint about privileges.
SELECT f.message, f.detail, f.hint
FROM (
    SELECT current_database() AS here,
           EXISTS (SELECT FROM pg_catalog.pg_extension WHERE extname = 'pg_cron') AS installed,
           -- For a setting that the role cannot read, current_setting() would raise an error.
           coalesce((SELECT s.setting FROM pg_catalog.pg_settings s WHERE s.name = 'cron.database_name'), '') AS home
) AS c
LEFT JOIN pg_catalog.pg_database d ON d.datname = $2
CROSS JOIN LATERAL (
    SELECT format('extension pg_cron is not installed in database "%s"', c.here),
           format('The server loads pg_cron for database "%s".', c.home)
) AS t (missing, elsewhere)
CROSS JOIN LATERAL (VALUES
    (1, NOT c.installed AND $3::boolean AND c.home = '', t.missing,
        'The server does not load pg_cron, or the migrating role cannot read its settings.',
        'Add pg_cron to shared_preload_libraries, set cron.database_name, restart and run what "pgretain bootstrap" '
        'prints; or set install.scheduler to none and run jobs by other means.'),
    (2, NOT c.installed AND c.home = c.here, t.missing, 'The server loads pg_cron for this database.', $5::text),
    (3, NOT c.installed AND $3::boolean, t.missing, t.elsewhere, format('Set install.cron_database to "%s".', c.home)),
    (4, c.installed AND NOT coalesce(has_schema_privilege($1::name, to_regnamespace('cron')::oid, 'USAGE'), false),
        format('role "%s" has no USAGE on schema cron', $1::text), '', $5::text),
    -- to_regprocedure() would need USAGE on the schema.
    (5, $3 AND NOT EXISTS (SELECT FROM pg_catalog.pg_proc p
                           WHERE p.pronamespace = to_regnamespace('cron')::oid AND p.proname = 'schedule_in_database'
                             AND has_function_privilege($1::name, p.oid, 'EXECUTE')),
        format('role "%s" has no EXECUTE on cron.schedule_in_database', $1::text), '', $5::text),
    (6, $3 AND $4::boolean AND d.oid IS NULL,
        format('install.database is "%s", and the server of database "%s" has none of that name', $2::text, c.here), '',
        'Connect to the server that has both databases: pg_cron runs jobs on its own server.'),
    (7, $3 AND $4 AND NOT coalesce(has_database_privilege($1::name, d.oid, 'CONNECT'), false),
        format('role "%s" has no CONNECT on database "%s"', $1::text, $2::text), '',
        format('Have a DBA run in database "%s" what "pgretain bootstrap" prints.', $2::text))
) AS f (part, wrong, message, detail, hint)
WHERE f.wrong
ORDER BY f.part
LIMIT 1;
