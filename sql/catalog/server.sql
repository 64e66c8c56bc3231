-- Returns one row of facts about the database. "pgretain init" uses them for a new policy file.
-- Columns of the result:
-- - the database
-- - the time zone of its sessions
-- - the database for which pg_cron schedules jobs, '' if pg_cron is not loaded or the role may not
--   see it
-- - whether pg_cron is installed on the machine
-- - the day since which statistics count, '' if they were never reset
-- - how many days ago that is, NULL if they were never reset
SELECT current_database()::text,
       (SELECT s.reset_val FROM pg_settings AS s WHERE s.name = 'TimeZone'),
       coalesce((SELECT s.setting FROM pg_settings AS s WHERE s.name = 'cron.database_name'), ''),
       EXISTS (SELECT FROM pg_available_extensions AS e WHERE e.name = 'pg_cron'),
       coalesce(to_char(d.stats_reset AT TIME ZONE 'UTC', 'YYYY-MM-DD'), ''),
       extract(epoch FROM now() - d.stats_reset)::float8 / 86400
  FROM pg_stat_database AS d
 WHERE d.datname = current_database();
