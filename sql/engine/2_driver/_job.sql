-- _job returns the policies and reports of a job, in order, and how the job runs them. Raises P0002
-- if there is no such job.
-- p_asks: the runs ask everything that could stop a policy. The function deletes what earlier runs
--   vouched for. It skips a policy for which another run is asking now.
CREATE OR REPLACE FUNCTION retention._job(
    p_job text, p_as_of timestamptz, p_asks boolean, OUT policies text[], OUT as_of timestamptz,
    OUT is_strict boolean, OUT scope jsonb)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $function$
BEGIN
    SELECT j.policies, coalesce(p_as_of, clock_timestamp()), j.strict, j.scope
    INTO policies, as_of, is_strict, scope
    FROM retention.job j WHERE j.name = p_job;
    IF NOT FOUND THEN
        RAISE no_data_found USING MESSAGE = format('there is no job "%s"', p_job),
            HINT = 'SELECT name FROM retention.job lists them.';
    END IF;
    IF p_asks THEN
        DELETE FROM retention.vouched d WHERE d.policy IN (
            SELECT v.policy FROM retention.vouched v WHERE split_part(v.policy, '@', 1) = ANY (policies)
            FOR UPDATE SKIP LOCKED);
    END IF;
END $function$;
