-- _batch_size returns how many rows the next batch reads. With batch.time, the rows of a batch
-- should take that time. If the fixed part of the last batch took longer, the rows may take as long
-- as the fixed part. Otherwise a busy processor would make batches so small that they consist
-- mostly of their fixed part.
-- The next batch reads at most ten times as many rows as the last batch. A batch with few rows, or
-- one that waited for a lock, does not change the number. It does if its rows took ten times as
-- long as batch.time.
-- If each batch reads a whole table or sorts all due rows, smaller batches are hardly faster. The
-- times of two batches of different sizes show how long a batch of any size takes (v_same). This
-- time then counts as fixed, and the next batch reads at most twice as many rows.
-- p_rows_ms: how long the rows of p_batch took, without its fixed part and undone attempts
CREATE OR REPLACE FUNCTION retention._batch_size(
    p_policy retention.policy, p_batch retention.batch, p_rows_ms double precision) RETURNS integer
LANGUAGE plpgsql STABLE AS $function$
DECLARE
    v_ms double precision := greatest(0.1, coalesce(nullif(p_rows_ms, 0), p_batch.ms));
    v_fixed CONSTANT double precision := CASE WHEN p_batch.sqlstate IS NULL THEN p_batch.ms - v_ms END;
    v_target double precision := greatest(p_policy.batch_time_ms, v_fixed);
    v_same double precision;  -- milliseconds that a batch of any size takes, besides v_fixed
    v_most integer := 10;
BEGIN
    IF p_policy.batch_time_ms IS NULL THEN
        RETURN p_policy.batch_rows;
    ELSIF p_batch.scanned = 0 OR v_ms < 10 * p_policy.batch_time_ms
        AND (p_batch.scanned < p_batch.next_rows / 2 OR retention._refused_by(p_batch.sqlstate) = 'lock') THEN
        RETURN p_batch.next_rows;
    END IF;
    IF v_ms > v_target / 2 AND v_fixed IS NOT NULL THEN
        SELECT least(v_ms, b.ms - v_fixed,
                     v_ms - p_batch.scanned * (b.ms - p_batch.ms) / (b.scanned - p_batch.scanned)) INTO v_same
        FROM retention.batch b
        WHERE b.run_id = p_batch.run_id AND b.n BETWEEN p_batch.n - 20 AND p_batch.n - 1
          AND b.next_pass = p_batch.next_pass AND b.scanned > 0 AND b.sqlstate IS NULL
          AND b.scanned NOT BETWEEN p_batch.scanned * 2 / 3 AND p_batch.scanned * 3 / 2
        ORDER BY b.n DESC LIMIT 1;
    END IF;
    IF v_same > 0 THEN
        v_ms := greatest(0.1, v_ms - v_same); v_target := greatest(v_target, v_fixed + v_same); v_most := 2;
    END IF;
    RETURN greatest(1, least(p_policy.batch_rows, p_batch.scanned * least(v_most, v_target / v_ms)));
END $function$;
