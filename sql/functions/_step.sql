-- One batch of a run, in the caller's transaction: all of it or nothing. Also decides when the
-- run is over. Locks: ROW EXCLUSIVE on the policy's table and FOR UPDATE on the rows it takes, both
-- waited for at most the policy's lock_timeout.
CREATE OR REPLACE FUNCTION retention._step(p_run bigint) RETURNS retention.step
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
SET jit = off
SET row_security = off
SET gin_fuzzy_search_limit = 0
AS $function$
DECLARE
    v_run retention.run := retention._running(p_run);
    v_policy retention.policy;
    v_last retention.batch;
    v_next retention.batch;
    v_stop record;
    v_call record;
    v_result retention.batch_result;
    v_held boolean;
    v_lost text;
    v_before jsonb;
    v_started CONSTANT timestamptz := clock_timestamp();
BEGIN
    IF current_setting('transaction_isolation') <> 'read committed' THEN
        RAISE object_not_in_prerequisite_state USING  -- guards would be asked of an old snapshot
            MESSAGE = format('a batch needs READ COMMITTED, this is %s', upper(current_setting('transaction_isolation'))),
            HINT = 'Use CALL retention.run(policy).';
    END IF;
    SELECT * INTO v_policy FROM retention.policy p WHERE p.name = v_run.policy;
    SELECT * INTO STRICT v_last FROM retention.batch b WHERE b.run_id = p_run ORDER BY b.n DESC LIMIT 1;
    v_stop := retention._stop_reason(v_run, v_policy, v_last.total_taken);
    IF v_stop.state IS NOT NULL THEN
        RETURN retention._finish(p_run, v_stop.state, NULL, v_stop.message);
    END IF;

    PERFORM set_config('lock_timeout', v_policy.lock_timeout_ms::text, true);
    BEGIN
        v_held := retention._lock_holds(
            v_run.hold_tables, v_policy.table_name || v_policy.related || v_policy.reach, v_run.as_of);
    EXCEPTION WHEN lock_not_available THEN
        RETURN retention._missed(p_run, v_last, 'place_hold() has not been committed yet');
    END;
    IF v_held AND v_policy.reach <> '{}' AND retention._circle(v_run.hold_tables) IS NOT NULL THEN
        RETURN retention._finish(p_run, 'tripped', NULL, format(
            'a hold is in force, and foreign keys lead from table "%s" back to it: '
            'whether a delete reaches the held row cannot be told', retention._circle(v_run.hold_tables)));
    END IF;
    IF EXISTS (SELECT FROM retention.hold h
               WHERE h.table_name = ANY (v_policy.unguarded) AND h.released_at IS NULL
                 AND (h.until IS NULL OR h.until > v_run.as_of)) THEN
        RETURN retention._finish(p_run, 'tripped', NULL,
            'a hold is in force on a table that a "sql" step changes: whether it meets the held row cannot be told');
    END IF;
    IF v_policy.reach <> '{}' THEN
        v_before := retention._changed_rows(v_policy.reach);
    END IF;
    v_call := retention._call_batch(
        p_run, v_policy.passes -> (v_last.next_pass - 1), v_policy.lock_timeout_ms,
        v_held OR v_last.next_position IS NULL OR v_last.next_skip OR v_last.suspect_rows > 0
            OR v_last.locked_batches > 0);
    SET CONSTRAINTS ALL IMMEDIATE;  -- a deferred foreign key fails here, not at COMMIT
    v_result := v_call.result;
    -- Asked after the batch, whose locks keep its tables as they are.
    v_lost := CASE WHEN v_held THEN retention._vain_hold(v_policy.name, v_run.as_of, 100)
                   WHEN EXISTS (SELECT FROM retention.hold h WHERE h.released_at IS NULL)
                   THEN retention._attached_hold(ARRAY[v_policy.table_name] || v_policy.related || v_policy.reach, v_run.as_of) END;
    IF v_lost IS NOT NULL THEN
        RAISE object_not_in_prerequisite_state USING MESSAGE = v_lost;
    END IF;

    IF v_result.outcome = 'locked' THEN
        RETURN retention._missed(p_run, v_last, 'the table is locked by somebody else');
    END IF;
    v_next := retention._next_batch(v_policy, v_last, v_call.mode, v_result);
    v_next.cascaded := '{}';
    IF v_policy.reach <> '{}' THEN
        -- What steps deleted themselves is no cascade, where a foreign key leads back to them.
        v_next.cascaded := retention._subtract(
            retention._subtract(retention._changed_rows(v_policy.reach), v_before),
            v_next.related || jsonb_build_object(v_policy.table_name, v_next.taken));
    END IF;
    v_next.ms := extract(epoch FROM clock_timestamp() - v_started) * 1000;
    v_next.at := clock_timestamp();
    INSERT INTO retention.batch SELECT v_next.*;
    IF v_next.total_refused > 100 THEN
        RETURN retention._finish(p_run, 'failed', v_next.sqlstate,
            'more than 100 rows were refused, the last with: ' || v_next.message);
    ELSIF v_next.next_pass > jsonb_array_length(v_policy.passes) THEN
        RETURN retention._finish(p_run, 'done');
    END IF;
    RETURN (p_run, true,
            clock_timestamp() + v_next.ms * (1 / v_policy.busy - 1) * interval '1 ms')::retention.step;
END
$function$;
REVOKE ALL ON FUNCTION retention._step(bigint) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION retention._step(bigint) TO retention_runner, retention_operator;
