-- _throttle_sleep returns how many seconds the driver sleeps next. That is at most 0.1, so that no
-- snapshot is held for long. It returns NULL if the next step can begin, or if the run has to end.
-- A run has to end if it is paused, its time budget is spent, or its policy has changed.
CREATE OR REPLACE FUNCTION retention._throttle_sleep(p_run bigint, p_wake_at timestamptz) RETURNS double precision
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $function$
BEGIN
    IF p_wake_at > clock_timestamp() AND EXISTS (
        SELECT FROM retention.run r JOIN retention.policy p ON (p.name, p.hash) = (r.policy, r.policy_hash)
        WHERE r.id = p_run AND retention._paused(p.name) IS NULL
          AND (clock_timestamp() - r.started_at < p.budget_time) IS NOT false) THEN
        LOCK TABLE retention.run IN ROW EXCLUSIVE MODE;
        RETURN least(0.1, extract(epoch FROM p_wake_at - clock_timestamp()));
    END IF;
    RETURN NULL;
END $function$;
