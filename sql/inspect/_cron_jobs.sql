-- _cron_jobs returns the runner's pg_cron jobs: those that pgretain scheduled, and those that call
-- run, run_job or run_if_due in this database. It returns no rows if _cron_seen() is not true. The
-- runner owns this function, because row security shows the jobs to no other role.
-- Every operator, type and function is qualified. The runner owns the function and can change its
-- settings, but must not make its callers execute other code.
GRANT CREATE ON SCHEMA retention TO retention_runner;
SET LOCAL ROLE retention_runner;
CREATE OR REPLACE FUNCTION retention._cron_jobs()
RETURNS TABLE (jobid bigint, jobname text, schedule text, command text, database text, username text, active boolean,
    host text, port integer)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $function$
BEGIN
    IF retention._cron_seen() THEN
        RETURN QUERY EXECUTE
            'SELECT j.jobid, j.jobname::pg_catalog.text, j.schedule, j.command, j.database, j.username, j.active,
                 j.nodename, j.nodeport
             FROM cron.job j
             WHERE pg_catalog.starts_with(j.jobname::pg_catalog.text, ''retention.'')
                OR j.database OPERATOR(pg_catalog.=) pg_catalog.current_database()
               AND pg_catalog.strpos(
                       pg_catalog.lower(pg_catalog.regexp_replace(pg_catalog.regexp_replace(
                           pg_catalog.replace(j.command, ''"'', ''''), ''\s+'', '' '', ''g''), '' ?\. ?'', ''.'', ''g'')),
                       pg_catalog.lower(pg_catalog.replace(''call retention.run'', ''"'', ''''))) OPERATOR(pg_catalog.>) 0
             ORDER BY j.jobname, j.jobid';
    END IF;
END $function$;
SET LOCAL ROLE retention_owner;
REVOKE CREATE ON SCHEMA retention FROM retention_runner;
