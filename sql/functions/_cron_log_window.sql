-- How long rows of cron.job_run_details are kept.
CREATE OR REPLACE FUNCTION retention._cron_log_window() RETURNS interval
LANGUAGE sql STABLE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $function$
    SELECT i.cron_log_window FROM retention.install i
$function$;
REVOKE ALL ON FUNCTION retention._cron_log_window() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION retention._cron_log_window() TO retention_runner, retention_operator;
