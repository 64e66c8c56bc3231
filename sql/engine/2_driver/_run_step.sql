-- _run_step executes the next batch of a run, completely or not at all, and decides whether the run
-- ends. Raises 55000 if the run does not belong to this session.
CREATE OR REPLACE FUNCTION retention._run_step(p_run bigint) RETURNS retention.step
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $function$
DECLARE
    v_run retention.run; v_policy retention.policy; v_last retention.batch; v_next retention.batch;
    v_stop record; v_taken record; v_unheld text; v_why text;
    v_started CONSTANT timestamptz := clock_timestamp(); v_lsn CONSTANT pg_lsn := pg_current_wal_insert_lsn();
BEGIN
    LOCK TABLE retention.run IN ROW EXCLUSIVE MODE;  -- shows that the run is in progress
    v_run := retention._running(p_run);
    SELECT * INTO v_policy FROM retention.policy p WHERE (p.name, p.hash) = (v_run.policy, v_run.policy_hash);
    SELECT * INTO v_last FROM retention.batch b WHERE b.run_id = p_run ORDER BY b.n DESC LIMIT 1;
    v_stop := retention._stop_reason(v_run, v_policy, v_last.total_taken);
    IF v_stop.state IS NOT NULL THEN
        RETURN retention._finish(p_run, v_stop.state, NULL, v_stop.message,
            CASE v_stop.state WHEN 'tripped' THEN 'breaker' END);
    ELSIF v_last.run_id IS NULL THEN
        RETURN retention._start(v_run, v_policy);
    END IF;
    IF v_policy.waits IS NOT NULL AND NOT v_run.dry_run THEN v_why := retention._blocking_sessions(v_policy); END IF;
    IF v_why IS NOT NULL THEN
        UPDATE retention.run r SET waited_s = r.waited_s + 1, waited_for = v_why WHERE r.id = p_run;
        -- This COMMIT does not wait for the disk or a standby. Only the end of the run waits.
        PERFORM set_config('synchronous_commit', 'off', true);
        RETURN (p_run, true, v_started + interval '1 s')::retention.step;
    END IF;
    v_next := retention._next(v_last);
    PERFORM set_config('lock_timeout', v_policy.lock_timeout_ms::text, true);
    BEGIN
        IF strpos(v_policy.name, '@') > 0 THEN PERFORM retention._lock_shard(v_policy.name); END IF;
        -- Either a session that places a hold waits for this batch, or the batch waits for it.
        LOCK TABLE retention.hold IN ROW SHARE MODE;
    EXCEPTION WHEN lock_not_available THEN
        RETURN retention._retry_batch(v_next, format(
            'place_hold() or restore() is not committed yet, or the shard moves: %s', SQLERRM));
    END;
    PERFORM pg_logical_emit_message(true, 'pgretain', jsonb_build_object('policy', v_policy.name, 'run', p_run)::text)
    FROM retention.install i WHERE i.logical_messages;
    v_unheld := retention._unheld(v_policy, v_run.as_of);
    v_taken := retention._process_batch(
        v_run, v_policy, v_unheld,
        NOT retention._use_one_statement(v_run, v_policy, v_last, v_unheld), v_next);
    IF v_taken.outcome = 'locked' AND (v_taken.p_next).scanned = 0 THEN
        RETURN retention._retry_batch(v_next, 'the table is locked by somebody else');
    END IF;
    RETURN retention._record_batch(v_run, v_policy, v_taken.p_next, v_taken.outcome, v_started, v_lsn);
END $function$;
