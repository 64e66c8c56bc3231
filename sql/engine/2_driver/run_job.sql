-- run_job runs the policies and reports of a job in order, with the job's scope and one as_of. Each
-- run asks everything that could stop a policy. pg_cron calls run_if_due instead.
-- If a run fails, the job continues with the next policy, unless the job is strict. A cancel stops
-- the job. If any run failed or tripped, run_job raises the errors after its last COMMIT. Raises
-- P0002 for an unknown job. The runner and operators may call it.
CREATE OR REPLACE PROCEDURE retention.run_job(
    job pg_catalog.text, as_of pg_catalog.timestamptz DEFAULT NULL, reason pg_catalog.text DEFAULT NULL,
    INOUT outcome pg_catalog.text DEFAULT NULL, dry_run pg_catalog.bool DEFAULT false)
LANGUAGE plpgsql SECURITY INVOKER AS $procedure$
DECLARE v_job pg_catalog.record;
BEGIN
    v_job := retention._job(job, as_of);
    CALL retention._run_all(
        v_job.policies, (NULL, v_job.as_of, reason, job, NULL, v_job.scope, dry_run, NULL)::retention.request,
        v_job.is_strict, outcome);
END $procedure$;
