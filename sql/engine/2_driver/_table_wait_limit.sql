-- _table_wait_limit returns how long a run of a job waits for a table that has another run. It is
-- half of the time between two ticks, divided by the number of the job's policies, and at most 15
-- minutes. A policy for each schema counts as one policy, although each of its instances may wait
-- that long. A job without ticks (@reboot) counts as if it had one every 30 minutes. It returns
-- NULL for a call without a job.
CREATE OR REPLACE FUNCTION retention._table_wait_limit(p_job text) RETURNS interval
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $function$
BEGIN
    RETURN (SELECT least(interval '15 minutes', coalesce(j.every, '30 minutes') / 2 / cardinality(j.policies))
            FROM retention.job j WHERE j.name = p_job);
END $function$;
