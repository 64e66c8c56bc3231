-- Notes in runs of this session that cron.job_run_details was not purged, which its caller does with his own rights.
CREATE OR REPLACE FUNCTION retention._cron_log_not_purged(p_runs bigint[], p_sqlstate text) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $function$
    SELECT retention._note_failure(p_runs, 'cron.job_run_details was not purged', left(p_sqlstate, 5))
$function$;
