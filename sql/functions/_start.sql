-- The first transaction of a run that is written down: reads what its policy asks for, counts for the breaker, and
-- finds where to go on; or says why the run ends here: nothing is due, say. Waits for any lock at most ten times the
-- policy's lock_timeout: batches try several times too.
CREATE OR REPLACE FUNCTION retention._start(p_run retention.run) RETURNS retention.step
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $function$
DECLARE
    v_started CONSTANT timestamptz := clock_timestamp();
    v_policy CONSTANT retention.policy := retention._known(p_run.policy);
    v_message text := coalesce(retention._copy(), retention._half_upgraded(), retention._paused(v_policy.name));
    v_resume retention.run;
BEGIN
    IF v_message IS NOT NULL THEN
        RETURN retention._finish(p_run.id, 'paused', NULL, v_message);
    ELSIF v_policy.hash <> p_run.policy_hash THEN
        RETURN retention._finish(p_run.id, 'more', NULL, 'the policy was changed during the run');
    END IF;
    PERFORM retention._wait_at_most(v_policy.lock_timeout_ms * 10::bigint);
    BEGIN
        v_message := coalesce((SELECT u FROM retention._unexpected(v_policy) u LIMIT 1),
            retention._stopping_hold(v_policy.name, p_run.as_of));
        IF v_message IS NULL THEN
            PERFORM retention._prepare(p_run.id, v_policy);
            v_message := retention._surplus(p_run.id);
        END IF;
        v_resume := retention._resume_point(p_run.id);
    EXCEPTION WHEN lock_not_available THEN
        RETURN retention._finish(p_run.id, 'more', '55P03', 'a table is locked by somebody else');
    END;
    IF v_message IS NOT NULL THEN RETURN retention._finish(p_run.id, 'tripped', NULL, v_message); END IF;
    UPDATE retention.run r
    SET from_start = v_resume.end_position IS NULL,
        filenode = pg_relation_filenode(retention._table(v_policy.table_name))
    WHERE r.id = p_run.id;
    INSERT INTO retention.batch (run_id, n, mode, ms, next_pass, next_position, next_rows)
    VALUES (p_run.id, 0, 'start', extract(epoch FROM clock_timestamp() - v_started) * 1000, 1, v_resume.end_position,
            least(v_policy.batch_rows, CASE WHEN v_policy.batch_time_ms IS NOT NULL THEN 500 END));
    IF (SELECT r.due FROM retention.run r WHERE r.id = p_run.id) = 0 AND NOT v_policy.passes @? '$[*].whole' THEN
        RETURN retention._finish(p_run.id, 'done');
    END IF;
    RETURN (p_run.id, true, NULL)::retention.step;
END $function$;
