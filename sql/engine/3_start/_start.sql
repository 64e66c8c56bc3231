-- _start executes the first step of a run. It evaluates the inputs of the policy, finds where to
-- start, and checks the breaker. If something stops the run, it ends the run with a reason. For a
-- lock it waits ten times the policy's lock_timeout, which is as long as all tries of a batch wait.
CREATE OR REPLACE FUNCTION retention._start(p_run retention.run, p_policy retention.policy) RETURNS retention.step
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET intervalstyle = 'postgres' AS $function$
DECLARE
    v_started CONSTANT timestamptz := clock_timestamp();
    v_message text := retention._copy(); v_by text; v_from jsonb; v_due bigint; v_limit bigint;
    v_end retention.step; v_vouched retention.vouched; v_asks boolean; v_last record;
BEGIN
    IF v_message IS NOT NULL THEN RETURN retention._finish(p_run.id, 'paused', NULL, v_message); END IF;
    PERFORM set_config('lock_timeout', least(p_policy.lock_timeout_ms * 10::bigint, 2147483647)::text, true);
    BEGIN
        IF strpos(p_policy.name, '@') > 0 THEN PERFORM retention._lock_shard(p_policy.name); END IF;
        -- A call by hand asks all questions, and so does the first run of a job in each hour. If
        -- run_job was called, it has deleted the row of vouched.
        SELECT v.* INTO v_vouched FROM retention.vouched v
        WHERE v.policy = p_policy.name AND p_run.job IS NOT NULL AND NOT p_run.dry_run
          AND retention._is_vouched(p_policy)
          AND v.asked_at BETWEEN date_trunc('hour', v_started) AND v_started;
        v_asks := NOT FOUND;
        IF v_asks THEN
            DELETE FROM retention.vouched v WHERE v.policy = p_policy.name;
            v_vouched := retention._vouchable(p_policy);
        END IF;
        IF v_asks OR EXISTS (SELECT FROM retention.hold h WHERE h.released_at IS NULL) THEN
            SELECT o.tripped_by, o.message INTO v_by, v_message FROM retention._obstacle(p_policy, p_run.as_of) o;
        END IF;
        IF v_message IS NULL AND v_asks AND v_vouched.mark IS NOT NULL THEN
            INSERT INTO retention.vouched SELECT v_vouched.*;
        END IF;
        IF v_message IS NULL THEN
            IF p_policy.prepares THEN
                UPDATE retention.run r SET inputs = retention._execute_as_worker(format(
                    'SELECT retention.%I(jsonb_populate_record(NULL::retention.batch_range, $1))',
                    r.policy || '_start'),
                    to_jsonb(retention._batch_range(r.as_of, r.older_than, r.scope)), p_policy.name)
                WHERE r.id = p_run.id;
            END IF;
            IF p_policy.facts ? 'clocks' THEN
                v_message := retention._clock_fault(p_policy.name, p_run.as_of);
            END IF;
            v_by := CASE WHEN v_message IS NOT NULL THEN 'clock' END;
            IF v_message IS NULL THEN
                v_last := retention._resume_point(p_run, p_policy);
                v_from := v_last."position";
                SELECT s.* INTO v_due, v_limit, v_message
                FROM retention._check_breaker(p_run, p_policy, v_last.took_rows) s;
                v_by := CASE WHEN v_message IS NOT NULL THEN 'breaker' END;
            END IF;
        END IF;
    EXCEPTION WHEN lock_not_available THEN
        RETURN retention._finish(p_run.id, 'more', '55P03', 'a table is locked by somebody else');
    -- _pin raises PR004 before anything is evaluated.
    WHEN SQLSTATE 'PR004' THEN v_by := 'trust'; v_message := SQLERRM;
    END;
    IF v_message IS NULL AND v_due = 0 AND NOT p_policy.passes @? '$[*].whole' THEN
        v_end := retention._finish(p_run.id, 'done');  -- most runs end here
        IF p_run.job IS NOT NULL AND v_vouched.mark IS NOT NULL THEN
            PERFORM retention._arm_probe(p_run.id, v_vouched.mark);
        END IF;
        RETURN v_end;
    END IF;
    UPDATE retention.run r
    SET due = v_due, breaker_limit = v_limit, start_position = v_from
    WHERE r.id = p_run.id;
    IF v_by IS NOT NULL THEN RETURN retention._finish(p_run.id, 'tripped', NULL, v_message, v_by); END IF;
    INSERT INTO retention.batch (run_id, n, mode, ms, next_pass, next_position, next_rows)
    VALUES (p_run.id, 0, 'start', extract(epoch FROM clock_timestamp() - v_started) * 1000,
            coalesce((v_from ->> 0)::integer, 1), nullif(v_from -> 1, 'null'),
            least(p_policy.batch_rows, CASE WHEN p_policy.batch_time_ms IS NOT NULL
                THEN retention._first_batch_rows(p_run, p_policy) END));
    RETURN (p_run.id, true, NULL)::retention.step;
END $function$;
