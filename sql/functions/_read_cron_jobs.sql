-- The pg_cron jobs that pgretain scheduled, as far as the caller may see them; no rows where there is no pg_cron.
CREATE OR REPLACE FUNCTION retention._read_cron_jobs()
RETURNS TABLE (jobid bigint, jobname text, schedule text, command text, database text, username text, active boolean)
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $function$
BEGIN
    IF EXISTS (SELECT FROM pg_namespace n WHERE n.nspname = 'cron') THEN
        RETURN QUERY EXECUTE
            'SELECT j.jobid, j.jobname::text, j.schedule, j.command, j.database, j.username, j.active
             FROM cron.job j WHERE starts_with(j.jobname::text, ''retention.'') ORDER BY j.jobname';
    END IF;
END $function$;
