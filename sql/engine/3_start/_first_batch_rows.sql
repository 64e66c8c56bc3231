-- _first_batch_rows returns how many rows the first batch of a run reads, if the policy has
-- batch.time. The number is the one with which the last run with batches ended, if that run is one
-- of the last 100 runs of the policy. Without such a run it is 500. If guards read other tables, it
-- is 4, because one row may then take long.
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
        CASE WHEN p_policy.passes @? '$[*].lock' THEN 4 ELSE 500 END);
END $function$;
