-- Writes into a run of the built-in policy how many rows of cron.job_run_details went with it.
CREATE OR REPLACE FUNCTION retention._note_cron_purge(p_run bigint, p_rows bigint) RETURNS void
LANGUAGE sql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $function$
    UPDATE retention.run r
    SET related = r.related || jsonb_build_object('cron.job_run_details', p_rows)
    WHERE r.id = p_run AND p_rows > 0 AND r.policy = 'retention_log'
      AND r.pid = pg_backend_pid() AND r.ended_at > clock_timestamp() - interval '1 minute'
$function$;
REVOKE ALL ON FUNCTION retention._note_cron_purge(bigint, bigint) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION retention._note_cron_purge(bigint, bigint) TO retention_runner, retention_operator;
