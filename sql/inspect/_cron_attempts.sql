-- _cron_attempts returns the pg_cron jobs of the runner whose last attempt failed, from the newest
-- 20,000 attempts. A job that cannot connect to the database leaves no other trace. The runner owns
-- this function, because row security shows the attempts to no other role. All names are qualified,
-- as in _cron_jobs.
GRANT CREATE ON SCHEMA retention TO retention_runner;
SET LOCAL ROLE retention_runner;
CREATE OR REPLACE FUNCTION retention._cron_attempts()
RETURNS TABLE (jobname text, failed bigint, since timestamptz, at timestamptz, message text)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $function$
BEGIN
    IF retention._cron_seen() IS NOT TRUE THEN RETURN; END IF;
    IF pg_catalog.has_table_privilege(pg_catalog.to_regclass('cron.job_run_details'), 'SELECT') THEN
        RETURN QUERY EXECUTE
            'WITH ended AS MATERIALIZED (
                 SELECT * FROM (SELECT d.jobid, d.runid, d.status, d.return_message,
                                       coalesce(d.start_time, d.end_time) AS at
                                FROM cron.job_run_details d ORDER BY d.runid DESC LIMIT 20000) x
                 WHERE x.status OPERATOR(pg_catalog.=) ANY (ARRAY[''failed'', ''succeeded'']::pg_catalog.text[]))
             SELECT j.jobname::pg_catalog.text, pg_catalog.count(*), pg_catalog.min(e.at), pg_catalog.max(e.at),
                    coalesce((pg_catalog.array_agg(e.return_message ORDER BY e.runid DESC))[1], '''')
             FROM cron.job j JOIN ended e ON e.jobid OPERATOR(pg_catalog.=) j.jobid
             WHERE pg_catalog.starts_with(j.jobname::pg_catalog.text, ''retention.'')
               AND e.status OPERATOR(pg_catalog.=) ''failed''
               AND e.runid OPERATOR(pg_catalog.>) coalesce((SELECT pg_catalog.max(s.runid) FROM ended s
                   WHERE s.jobid OPERATOR(pg_catalog.=) j.jobid AND s.status OPERATOR(pg_catalog.=) ''succeeded''), 0)
             GROUP BY j.jobname ORDER BY 1';
    END IF;
END $function$;
SET LOCAL ROLE retention_owner;
REVOKE CREATE ON SCHEMA retention FROM retention_runner;
