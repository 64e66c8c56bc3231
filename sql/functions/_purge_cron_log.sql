-- Part of the built-in policy: deletes old rows of cron.job_run_details, those of a crash (without
-- an end) included, at most 200000 a run: more than ten jobs every five seconds write in a day. Runs with
-- the caller's rights, because row security shows the runner's rows to nobody else. Answers how many
-- went; none in a dry run.
CREATE OR REPLACE FUNCTION retention._purge_cron_log(p_job text, p_dry_run boolean) RETURNS bigint
LANGUAGE plpgsql SECURITY INVOKER
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    v_rows bigint;
BEGIN
    IF p_job <> 'retention_log' OR p_dry_run OR NOT EXISTS (SELECT FROM pg_namespace n WHERE n.nspname = 'cron') THEN
        RETURN 0;
    END IF;
    EXECUTE 'DELETE FROM cron.job_run_details d
             WHERE d.username = current_user AND d.runid IN (
                 SELECT o.runid FROM cron.job_run_details o
                 WHERE o.username = current_user
                   AND (coalesce(o.end_time, o.start_time) < $1
                        OR coalesce(o.end_time, o.start_time) IS NULL
                           AND o.runid < (SELECT max(m.runid) FROM cron.job_run_details m
                                          WHERE m.start_time < $1))
                 LIMIT 200000)'
    USING clock_timestamp() - retention._cron_log_window();
    GET DIAGNOSTICS v_rows = ROW_COUNT;
    RETURN v_rows;
EXCEPTION WHEN insufficient_privilege THEN
    RETURN 0;  -- somebody else than the runner called the job
END
$function$;
REVOKE ALL ON FUNCTION retention._purge_cron_log(text, boolean) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION retention._purge_cron_log(text, boolean) TO retention_runner, retention_operator;
