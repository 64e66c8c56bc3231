-- _unschedule_job removes a pg_cron job of the current role. It does nothing if there is no such
-- job, or if this database has no extension pg_cron.
-- only_inactive: true to remove the job only if it is inactive
CREATE OR REPLACE FUNCTION retention._unschedule_job(p_name text, only_inactive boolean DEFAULT false) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $function$
BEGIN
    IF retention._cron_seen() IS NOT NULL THEN
        EXECUTE 'SELECT cron.unschedule(j.jobid) FROM cron.job j
                 WHERE j.jobname = $1 AND j.username = current_user AND NOT ($2 AND j.active)'
        USING p_name, only_inactive;
    END IF;
END $function$;
