-- _record_batch writes the row of a batch. It returns how the run continues, or ends the run. A run
-- that started in the middle continues from the beginning after its last pass, and ends where it
-- started. A run fails once it has refused 1,000 rows more than it took.
CREATE OR REPLACE FUNCTION retention._record_batch(
    p_run retention.run, p_policy retention.policy, p_next retention.batch, p_outcome text, p_started timestamptz,
        p_lsn pg_lsn)
RETURNS retention.step LANGUAGE plpgsql AS $function$
DECLARE
    v_next retention.batch := p_next; v_passes CONSTANT integer := jsonb_array_length(p_policy.passes);
    v_first CONSTANT integer := p_run.start_position ->> 0; v_over boolean := false; v_end retention.step;
BEGIN
    v_next.at := clock_timestamp(); v_next.ms := extract(epoch FROM v_next.at - p_started) * 1000;
    v_next.refused := coalesce(p_next.refused, 0); v_next.total_taken := p_next.total_taken + p_next.taken;
    v_next.next_rows := retention._batch_size(p_policy, v_next, p_next.ms);
    IF p_outcome = 'last' THEN
        v_next.next_pass := p_next.next_pass % v_passes + 1; v_next.next_position := NULL;
        v_next.wrapped := p_next.wrapped OR v_next.next_pass = 1;
        v_over := v_next.wrapped AND (v_first IS NULL OR p_next.wrapped AND p_next.next_pass = v_first
            OR v_next.next_pass = v_first AND p_run.start_position -> 1 = 'null');
    END IF;
    INSERT INTO retention.batch SELECT v_next.*;
    IF p_next.refused IS NULL THEN
        RETURN retention._finish(v_next.run_id, CASE retention._refused_by(v_next.sqlstate) WHEN 'lock' THEN 'more'
            ELSE 'failed' END, v_next.sqlstate, v_next.message);
    ELSIF v_next.total_refused > 1000 + v_next.total_taken THEN
        RETURN retention._finish(v_next.run_id, 'failed', v_next.sqlstate, format(
            'nearly all rows are refused: %s, while %s were taken', v_next.total_refused, v_next.total_taken));
    ELSIF v_over THEN
        v_end := retention._finish(v_next.run_id, 'done');
        IF v_next.n = 1 AND p_next.scanned = 0 AND p_run.job IS NOT NULL THEN
            PERFORM retention._arm_probe(p_run.id, v.mark) FROM retention.vouched v
            WHERE v.policy = p_policy.name;
        END IF;
        RETURN v_end;
    END IF;
    -- This COMMIT does not wait for the disk, unless the batch wrote events on which applications
    -- act. The COMMIT at the end of the run waits for the disk.
    IF NOT p_next.related ? 'retention.event' THEN PERFORM set_config('synchronous_commit', 'off', true); END IF;
    RETURN (v_next.run_id, true, greatest(
        clock_timestamp() + v_next.ms * (1 / p_policy.busy - 1) * interval '1 ms',
        p_started + pg_wal_lsn_diff(pg_current_wal_insert_lsn(), p_lsn)
            / (p_policy.waits -> 'wal_rate')::numeric * interval '1 s'))::retention.step;
END $function$;
