-- _table_wait_limit returns how long a run of a job waits for a table that has another run: half of
-- the time between two ticks, divided by the number of the job's policies, and at most 15 minutes. A
-- policy for each schema counts as one policy, and each of its instances waits. A job without a time
-- between ticks (@reboot) waits as one with a tick every 30 minutes. NULL for a call without a job.
CREATE OR REPLACE FUNCTION retention._table_wait_limit(p_job text) RETURNS interval
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $function$
BEGIN
    RETURN (SELECT least(interval '15 minutes', coalesce(j.every, '30 minutes') / 2 / cardinality(j.policies))
            FROM retention.job j WHERE j.name = p_job);
END $function$;
