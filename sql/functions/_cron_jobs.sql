-- The runner's jobs in pg_cron: row security shows them to nobody else, so this function is the runner's own. It has no
-- operator and no unqualified name, so that the runner, who may ALTER it, can have nothing run by whoever calls it.
GRANT CREATE ON SCHEMA retention TO retention_runner;
SET LOCAL ROLE retention_runner;
CREATE OR REPLACE FUNCTION retention._cron_jobs()
RETURNS TABLE (jobid bigint, jobname text, schedule text, command text, database text, username text, active boolean)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $function$
    SELECT j.jobid, j.jobname, j.schedule, j.command, j.database, j.username, j.active
    FROM retention._read_cron_jobs() j
$function$;
SET LOCAL ROLE retention_owner;
REVOKE CREATE ON SCHEMA retention FROM retention_runner;
