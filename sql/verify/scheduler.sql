-- Whether pg_cron's scheduler is running. The second column is only worth something where other
-- sessions are visible. PostgreSQL 18 lists a session before it is connected to its database.
SELECT EXISTS (SELECT FROM pg_extension e WHERE e.extname = 'pg_cron'),
       EXISTS (SELECT FROM pg_stat_activity a WHERE a.backend_type LIKE 'pg_cron%' AND a.datname IS NOT NULL)
