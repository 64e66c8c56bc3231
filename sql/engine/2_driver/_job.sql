-- _job returns the policies and reports of a job, in order, and how the job runs them. Raises P0002
-- if there is no such job.
CREATE OR REPLACE FUNCTION retention._job(
    p_job text, p_as_of timestamptz, OUT policies text[], OUT as_of timestamptz, OUT is_strict boolean,
    OUT scope jsonb)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $function$
BEGIN
    SELECT j.policies, coalesce(p_as_of, clock_timestamp()), j.strict, j.scope
    INTO policies, as_of, is_strict, scope
    FROM retention.job j WHERE j.name = p_job;
    IF NOT FOUND THEN
        RAISE no_data_found USING MESSAGE = format('there is no job "%s"', p_job),
            HINT = 'SELECT name FROM retention.job lists them.';
    END IF;
END $function$;
