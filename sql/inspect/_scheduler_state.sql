-- _scheduler_state returns the state of pg_cron's scheduler:
-- - 'running' or 'stopped'
-- - 'unknown' if the owner may not see other sessions, unless the jobs ran in time
-- - 'none' if no scheduler is needed. That is so with "scheduler: none", and on a standby.
-- PostgreSQL 18 lists a session before it is connected to its database. Such a session has no
-- datname and does not count.
CREATE OR REPLACE FUNCTION retention._scheduler_state() RETURNS text
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $function$
BEGIN
    RETURN CASE
        WHEN pg_is_in_recovery() OR NOT EXISTS (SELECT FROM retention.install i WHERE i.scheduler = 'pg_cron')
        THEN 'none'
        WHEN EXISTS (SELECT FROM pg_stat_activity a WHERE a.backend_type LIKE 'pg_cron%' AND a.datname IS NOT NULL)
        THEN 'running'
        WHEN pg_has_role('pg_read_all_stats', 'USAGE') THEN 'stopped'
        WHEN retention._jobs_in_time() THEN 'running' ELSE 'unknown' END;
END $function$;
