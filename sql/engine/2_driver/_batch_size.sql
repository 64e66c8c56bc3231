-- _batch_size returns how many rows the next batch reads. With batch.time, the rows of a batch
-- should take that time. If the fixed part of the last batch took longer, the rows may take as long
-- as the fixed part. Otherwise a busy processor would make batches so small that they consist
-- mostly of their fixed part.
-- The next batch reads at most ten times as many rows as the last batch. A batch with few rows, or
-- one that waited for a lock, does not change the number. It does if its rows took ten times as
-- long as batch.time.
-- p_rows_ms: how long the rows of p_batch took, without its fixed part and undone attempts
CREATE OR REPLACE FUNCTION retention._batch_size(
    p_policy retention.policy, p_batch retention.batch, p_rows_ms double precision) RETURNS integer
LANGUAGE plpgsql STABLE AS $function$
DECLARE
    v_ms CONSTANT double precision := greatest(0.1, coalesce(nullif(p_rows_ms, 0), p_batch.ms));
    v_target CONSTANT double precision := greatest(
        p_policy.batch_time_ms, CASE WHEN p_batch.sqlstate IS NULL THEN p_batch.ms - v_ms END);
BEGIN
    IF p_policy.batch_time_ms IS NULL THEN
        RETURN p_policy.batch_rows;
    ELSIF p_batch.scanned = 0 OR v_ms < 10 * p_policy.batch_time_ms
        AND (p_batch.scanned < p_batch.next_rows / 2 OR retention._refused_by(p_batch.sqlstate) = 'lock') THEN
        RETURN p_batch.next_rows;
    END IF;
    RETURN greatest(1, least(p_policy.batch_rows, p_batch.scanned * least(10, v_target / v_ms)));
END $function$;
