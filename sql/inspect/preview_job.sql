-- preview_job returns what the policies of a job would do one after the other. _dry_run runs them
-- and rolls the runs back. Nothing is written, not even into the run log. The runner and operators
-- may call it.
CREATE OR REPLACE FUNCTION retention.preview_job(
    job text, as_of timestamptz DEFAULT NULL, OUT policy text, OUT state text, OUT taken bigint, OUT kept jsonb,
    OUT contended bigint, OUT refused bigint, OUT related jsonb, OUT cascaded jsonb, OUT message text)
        RETURNS SETOF record
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $function$
DECLARE v_job CONSTANT record := retention._job(preview_job.job, preview_job.as_of);
BEGIN
    RETURN QUERY SELECT r.policy, r.state, r.taken, r.kept, r.contended, r.refused, r.related, r.cascaded, r.message
    FROM unnest(retention._dry_run(
        v_job.policies, (NULL, v_job.as_of, NULL, preview_job.job, NULL, v_job.scope, true, NULL)::retention.request,
        v_job.is_strict)) r;
END $function$;
