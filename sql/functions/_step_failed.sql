-- What becomes of a run whose batch was rolled back by an error:
--   lock waits, deadlocks, rows that moved  first the batch is repeated with rows locked up front
--                                           (and so are the next 20), then narrowed down
--   class 23, a raise in a trigger, a held  narrowed down, n, n/10, .., 1, to the row in question,
--   related row                             which is counted and passed by
--   anything else, and being cancelled      the run ends "failed"
-- Where a watermark moves past the rows none is passed by: the run ends "more" or "failed" there.
CREATE OR REPLACE FUNCTION retention._step_failed(p_run bigint, p_sqlstate text, p_message text)
RETURNS retention.step
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    v_run retention.run := retention._running(p_run);
    v_policy retention.policy;
    v_last retention.batch;
    v_next retention.batch;
    v_contended CONSTANT boolean := p_sqlstate IN ('55P03', '40001', '40P01');
BEGIN
    SELECT * INTO v_last FROM retention.batch b WHERE b.run_id = p_run ORDER BY b.n DESC LIMIT 1;
    SELECT * INTO v_policy FROM retention.policy p WHERE p.name = v_run.policy;
    IF NOT FOUND OR v_last.next_skip
       OR NOT (v_contended OR p_sqlstate LIKE '23%' OR p_sqlstate IN ('P0001', 'PR002')) THEN
        RETURN retention._finish(p_run, 'failed', p_sqlstate, p_message);
    END IF;
    v_next := retention._undone(v_last, p_sqlstate, p_message);
    IF v_contended AND v_last.locked_batches = 0 THEN
        v_next.locked_batches := 20;
    ELSIF v_last.next_rows = 1 AND (v_policy.passes -> (v_last.next_pass - 1) ->> 'whole')::boolean THEN
        RETURN retention._finish(p_run, CASE WHEN v_contended THEN 'more' ELSE 'failed' END, p_sqlstate, p_message);
    ELSIF v_last.next_rows = 1 THEN
        v_next.next_skip := true;
    ELSE
        v_next.suspect_rows := v_last.next_rows;
        v_next.next_rows := greatest(v_last.next_rows / 10, 1);
        v_next.locked_batches := greatest(v_last.locked_batches, 1);
    END IF;
    INSERT INTO retention.batch SELECT v_next.*;
    RETURN (p_run, true, NULL)::retention.step;
END
$function$;
REVOKE ALL ON FUNCTION retention._step_failed(bigint, text, text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION retention._step_failed(bigint, text, text) TO retention_runner, retention_operator;
