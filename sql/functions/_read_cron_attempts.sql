-- The pg_cron jobs whose last attempts failed, among the newest 20000, as far as the caller may see them: a job that
-- cannot connect leaves a trace there only.
CREATE OR REPLACE FUNCTION retention._read_cron_attempts()
RETURNS TABLE (jobname text, failed bigint, since timestamptz, at timestamptz, message text)
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $function$
BEGIN
    IF EXISTS (SELECT FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
               WHERE n.nspname = 'cron' AND c.relname = 'job_run_details') THEN
        RETURN QUERY EXECUTE
            'WITH ended AS MATERIALIZED (
                 SELECT * FROM (SELECT d.jobid, d.runid, d.status, d.return_message,
                                       coalesce(d.start_time, d.end_time) AS at
                                FROM cron.job_run_details d ORDER BY d.runid DESC LIMIT 20000) x
                 WHERE x.status IN (''failed'', ''succeeded''))
             SELECT j.jobname::text, count(*), min(e.at), max(e.at),
                    coalesce((array_agg(e.return_message ORDER BY e.runid DESC))[1], '''')
             FROM cron.job j JOIN ended e ON e.jobid = j.jobid
             WHERE starts_with(j.jobname::text, ''retention.'') AND e.status = ''failed''
               AND e.runid > coalesce((SELECT max(s.runid) FROM ended s
                                       WHERE s.jobid = j.jobid AND s.status = ''succeeded''), 0)
             GROUP BY j.jobname ORDER BY 1';
    END IF;
END $function$;
