-- Reads what a policy file says of its database.
-- Returns the database; the time zone that its sessions have; the database that pg_cron schedules
-- jobs for ('' where the role may not know, or it is not loaded); whether pg_cron is installed on
-- the machine; the day from which on statistics count ('' for ever), and how many days ago that is
-- (NULL for ever).
SELECT current_database()::text,
       (SELECT s.reset_val FROM pg_settings AS s WHERE s.name = 'TimeZone'),
       coalesce((SELECT s.setting FROM pg_settings AS s WHERE s.name = 'cron.database_name'), ''),
       EXISTS (SELECT FROM pg_available_extensions AS e WHERE e.name = 'pg_cron'),
       coalesce(to_char(d.stats_reset AT TIME ZONE 'UTC', 'YYYY-MM-DD'), ''),
       extract(epoch FROM now() - d.stats_reset)::float8 / 86400
  FROM pg_stat_database AS d
 WHERE d.datname = current_database();
