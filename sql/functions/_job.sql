-- The policies of a job in order. Raises P0002 when there is no such job.
CREATE OR REPLACE FUNCTION retention._job(
    p_job text, p_as_of timestamptz, OUT policies text[], OUT as_of timestamptz)
LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $function$
BEGIN
    SELECT j.policies, coalesce(p_as_of, clock_timestamp()) INTO policies, as_of
    FROM retention.job j WHERE j.name = p_job;
    IF NOT FOUND THEN
        RAISE no_data_found USING MESSAGE = format('there is no job "%s"', p_job),
            HINT = 'SELECT name FROM retention.job lists them.';
    END IF;
END
$function$;
REVOKE ALL ON FUNCTION retention._job(text, timestamptz) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION retention._job(text, timestamptz) TO retention_runner, retention_operator;
