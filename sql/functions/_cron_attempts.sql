-- The runner's jobs that failed lately; the runner's own function, like _cron_jobs.
GRANT CREATE ON SCHEMA retention TO retention_runner;
SET LOCAL ROLE retention_runner;
CREATE OR REPLACE FUNCTION retention._cron_attempts()
RETURNS TABLE (jobname text, failed bigint, since timestamptz, at timestamptz, message text)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $function$
    SELECT a.jobname, a.failed, a.since, a.at, a.message FROM retention._read_cron_attempts() a
$function$;
SET LOCAL ROLE retention_owner;
REVOKE CREATE ON SCHEMA retention FROM retention_runner;
