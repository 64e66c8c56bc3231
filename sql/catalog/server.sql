-- Returns one row of facts about the database. "pgretain init" uses them for a new policy file.
-- Columns of the result:
-- - the database
-- - the time zone of its sessions
-- - the database for which pg_cron schedules jobs, '' if pg_cron is not loaded or the role may not
--   see it
-- - whether pg_cron is installed on the machine
-- - the day since which statistics count, '' if they were never reset
-- - how many days ago that is, NULL if they were never reset
-- - whether extension pg_cron is in this database
-- - whether the role can let the worker bypass row security
-- - the owner of schema public, unless it is a superuser; the owner of the database in place of
--   pg_database_owner
SELECT current_database()::text,
       (SELECT s.reset_val FROM pg_settings AS s WHERE s.name = 'TimeZone'),
       coalesce((SELECT s.setting FROM pg_settings AS s WHERE s.name = 'cron.database_name'), ''),
       EXISTS (SELECT FROM pg_available_extensions AS e WHERE e.name = 'pg_cron'),
       coalesce(to_char(d.stats_reset AT TIME ZONE 'UTC', 'YYYY-MM-DD'), ''),
       extract(epoch FROM now() - d.stats_reset)::float8 / 86400,
       EXISTS (SELECT FROM pg_extension AS e WHERE e.extname = 'pg_cron'),
       (SELECT r.rolsuper OR current_setting('server_version_num')::integer >= 160000
                             AND r.rolcreaterole AND r.rolbypassrls
          FROM pg_roles AS r WHERE r.rolname = current_user),
       ARRAY(SELECT r.rolname::text
               FROM pg_namespace AS n
               JOIN pg_database AS b ON b.datname = current_database()
               JOIN pg_roles AS o ON o.oid = n.nspowner
               JOIN pg_roles AS r ON r.oid = CASE o.rolname WHEN 'pg_database_owner' THEN b.datdba ELSE o.oid END
              WHERE n.nspname = 'public' AND NOT r.rolsuper)
  FROM pg_stat_database AS d
 WHERE d.datname = current_database();
