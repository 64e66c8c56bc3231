-- Runs the policies and reports of a job in order, with one as_of and its scope; pg_cron calls it. One that fails stops
-- the next only where the job is strict, a cancel always. Raises after its last COMMIT when any failed or tripped.
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
