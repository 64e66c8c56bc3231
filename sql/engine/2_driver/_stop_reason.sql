-- _stop_reason returns the state in which a run ends before its next step, and a message. The state
-- is NULL if the run goes on.
-- p_policy: the policy as it was when the run began. It is NULL if the policy has changed.
-- The runtime's version is a constant here and is not read from _half_upgraded(). A migration may
-- replace _half_upgraded() while this function waits for a lock.
CREATE OR REPLACE FUNCTION retention._stop_reason(
    p_run retention.run, p_policy retention.policy, p_taken bigint, OUT state text, OUT message text)
LANGUAGE plpgsql AS $function$
DECLARE v_limit bigint := p_run.breaker_limit;
BEGIN
    message := (SELECT format('the runtime is between version %s and version %s: a migration is not finished',
                    i.runtime_version, '1') FROM retention.install i WHERE i.runtime_version <> '1');
    message := coalesce(message, retention._paused(p_run.policy));
    IF message IS NOT NULL THEN
        state := 'paused';
        RETURN;
    ELSIF p_policy.name IS NULL THEN
        state := 'more'; message := 'the policy was changed during the run';
        RETURN;
    -- More rows have become due. The limit is computed for twice as many rows, so that not each
    -- batch has to count rows.
    ELSIF p_taken > v_limit THEN
        v_limit := retention._breaker_limit(
            p_policy, 2 * p_taken, CASE WHEN p_policy.table_name = ANY (p_policy.deletes) THEN p_taken ELSE 0 END);
        UPDATE retention.run r SET breaker_limit = v_limit WHERE r.id = p_run.id;
    END IF;
    IF p_taken > v_limit THEN
        state := 'tripped'; message := format('%s rows taken, the breaker allows %s', p_taken, v_limit);
    ELSIF p_taken >= p_policy.budget_rows THEN
        state := 'more'; message := format('the budget of %s rows is spent', p_policy.budget_rows);
    ELSIF clock_timestamp() - p_run.started_at >= p_policy.budget_time THEN
        state := 'more'; message := format('the budget of %s is spent', p_policy.budget_time);
    END IF;
END $function$;
