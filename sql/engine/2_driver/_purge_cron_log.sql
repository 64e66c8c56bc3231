-- _purge_cron_log deletes rows of cron.job_run_details that are older than install.cron_log_window,
-- if pg_cron runs in this database. It deletes at most 10,000 rows. It runs with the caller's
-- privileges and deletes only the caller's rows, because row security shows a role no others.
CREATE OR REPLACE FUNCTION retention._purge_cron_log() RETURNS void
LANGUAGE plpgsql SECURITY INVOKER SET search_path = pg_catalog, pg_temp SET lock_timeout = '100ms' AS $function$
BEGIN
    IF EXISTS (SELECT FROM pg_extension e WHERE e.extname = 'pg_cron')
       AND has_schema_privilege(to_regnamespace('cron'), 'USAGE') THEN
        EXECUTE 'DELETE FROM cron.job_run_details d WHERE d.username = current_user
                   AND EXISTS (SELECT FROM cron.job j WHERE j.username = current_user
                               AND starts_with(j.jobname::text, ''retention.''))
                   AND d.runid = ANY (ARRAY(
                     SELECT o.runid FROM cron.job_run_details o WHERE o.username = current_user
                       AND (coalesce(o.end_time, o.start_time) < $1 OR coalesce(o.end_time, o.start_time) IS NULL
                               AND o.runid < (SELECT max(m.runid) FROM cron.job_run_details m WHERE m.start_time < $1))
                     ORDER BY o.runid LIMIT 10000))'
        USING clock_timestamp() - (SELECT i.cron_log_window FROM retention.install i);
    END IF;
EXCEPTION WHEN lock_not_available THEN NULL;  -- another session purges the log; the next call in an hour tries again
END $function$;
