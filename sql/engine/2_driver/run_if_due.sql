-- run_if_due runs the policies of a job that may have due rows, and its reports, in order. pg_cron
-- calls it. It asks one query for each policy (_tick), and runs the policy unless the answer is
-- certainly no. A run after the first one of the hour compares the mark (_is_vouched), where a run
-- of run_job asks everything. In the first call of each hour, and after any change on which the
-- answer rests, all policies run. If there is nothing to do, it writes no row into the run log, but
-- counts the call in retention.tick.
-- Raises P0002 for an unknown job, and the errors of run_job. The runner and operators may call it.
CREATE OR REPLACE PROCEDURE retention.run_if_due(job pg_catalog.text, INOUT outcome pg_catalog.text DEFAULT NULL)
LANGUAGE plpgsql SECURITY INVOKER AS $procedure$
DECLARE v_job pg_catalog.record;
BEGIN
    v_job := retention._job(job, NULL);
    CALL retention._run_all(
        v_job.policies, (NULL, v_job.as_of, NULL, job, NULL, v_job.scope, false, NULL)::retention.request,
        v_job.is_strict, outcome, true);
END $procedure$;
