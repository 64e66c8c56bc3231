-- Returns the database of pg_cron, and whether its launcher is connected there. PostgreSQL 18 also
-- lists sessions that are still connecting. A standby starts no launcher before it is promoted.
SELECT current_setting('cron.database_name'),
       pg_is_in_recovery() OR EXISTS (
           SELECT FROM pg_stat_activity a
           WHERE a.backend_type LIKE 'pg_cron%' AND a.datname = current_setting('cron.database_name'))
