-- _jobs_in_time reports whether each scheduled job has begun a run within the time of two ticks and
-- an hour. If so, a scheduler runs the jobs, even if nobody here can see the scheduler. It returns
-- false if there is no scheduled job.
CREATE OR REPLACE FUNCTION retention._jobs_in_time() RETURNS boolean
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $function$
BEGIN
    RETURN coalesce((
        SELECT bool_and(EXISTS (
            SELECT FROM retention.total t JOIN retention.run r ON r.id = t.last_run
            WHERE t.job = j.name AND r.job = j.name
              AND r.started_at > clock_timestamp() - 2 * j.every - interval '1 hour'))
        FROM retention.job j WHERE j.every IS NOT NULL), false);
END $function$;
