-- _batch_size returns how many rows the next batch reads. With batch.time, each next batch aims at
-- that duration. It reads at most four times and at least half as many rows as the last batch.
-- If a smaller batch took as long as a larger one, the number of rows was not the cause, for
-- example because the processor was busy. The next batch then reads up to four times as many rows
-- as the larger one.
CREATE OR REPLACE FUNCTION retention._batch_size(p_policy retention.policy, p_batch retention.batch) RETURNS integer
LANGUAGE plpgsql STABLE AS $function$
DECLARE
    v_before retention.batch;
    v_factor CONSTANT double precision := greatest(0.5, least(4, p_policy.batch_time_ms / greatest(p_batch.ms, 0.1)));
BEGIN
    IF p_policy.batch_time_ms IS NULL THEN
        RETURN p_policy.batch_rows;
    ELSIF p_batch.sqlstate IS NOT NULL OR p_batch.scanned < p_batch.next_rows / 2 THEN
        RETURN p_batch.next_rows;
    ELSIF v_factor < 1 THEN
        SELECT * INTO v_before FROM retention.batch b WHERE b.run_id = p_batch.run_id AND b.n = p_batch.n - 1;
        IF p_batch.scanned < v_before.scanned AND p_batch.ms > v_before.ms * 0.9 THEN
            RETURN least(p_policy.batch_rows, v_before.scanned * 4);
        END IF;
    END IF;
    RETURN greatest(1, least(p_policy.batch_rows, p_batch.scanned * v_factor));
END $function$;
