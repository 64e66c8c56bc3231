-- _first_batch_rows returns how many rows the first batch of a run reads, if the policy has
-- batch.time. It is the number that the last run with batches has found, if that is one of the last
-- 100 runs of the policy. Without such a run it is 500, or 4 if guards read other tables, because
-- one row may then take long.
CREATE OR REPLACE FUNCTION retention._first_batch_rows(p_run retention.run, p_policy retention.policy) RETURNS integer
LANGUAGE plpgsql STABLE AS $function$
BEGIN
    RETURN coalesce((
        SELECT b.next_rows FROM (
            SELECT r.id, r.batches, r.policy_hash FROM retention.run r
            WHERE r.policy = p_run.policy AND r.id < p_run.id ORDER BY r.id DESC LIMIT 100) r
        JOIN retention.batch b ON b.run_id = r.id
        WHERE r.batches > 0 AND r.policy_hash = p_run.policy_hash
        ORDER BY r.id DESC, b.n DESC LIMIT 1),
        CASE WHEN p_policy.passes @? '$[*].share' THEN 4 ELSE 500 END);
END $function$;
