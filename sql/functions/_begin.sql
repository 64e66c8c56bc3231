-- Starts a run, or says in the run log why it does not start. Takes the session lock on the
-- policy's table (one run per table at a time) and keeps it when the run starts. Waits for any other
-- lock at most ten times the policy's lock_timeout: batches try several times too. A dry run takes no
-- lock and ends here, as does a report. Raises 22023 for an as_of in the future, a scope or a window that the policy
-- does not allow, and P0002 for an unknown policy.
CREATE OR REPLACE FUNCTION retention._begin(p_request retention.request)
RETURNS retention.step
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
SET jit = off
SET row_security = off
AS $function$
DECLARE
    v_started CONSTANT timestamptz := clock_timestamp();
    v_policy CONSTANT retention.policy := retention._known(p_request.policy);
    v_request retention.request;
    v_table oid;
    v_run bigint;
    v_message text;
    v_resume retention.run;
BEGIN
    IF p_request.as_of > v_started THEN
        RAISE invalid_parameter_value
            USING MESSAGE = format('as_of %s is in the future', p_request.as_of),
                  HINT = 'Only retention.preview() may look ahead.';
    END IF;
    v_request := retention._checked(v_policy, p_request, v_started);
    IF v_policy.report THEN
        RETURN retention._run_report(v_policy, v_request, v_started);
    ELSIF v_request.dry_run THEN
        RETURN retention._dry_run(v_policy, v_request, v_started);
    END IF;
    v_table := retention._table(v_policy.table_name);

    v_message := retention._lock_run(v_table);
    IF v_message IS NOT NULL THEN
        v_run := retention._new_run(v_policy, v_request, v_started);
        RETURN retention._finish(v_run, 'busy', NULL, v_message);
    END IF;
    PERFORM retention._finish(r.id, 'abandoned', NULL, 'the backend of this run is gone')
    FROM retention.run r WHERE r.table_name = v_policy.table_name AND r.state = 'running';

    v_run := retention._new_run(v_policy, v_request, v_started);
    v_message := coalesce(retention._copy(), retention._half_upgraded(), retention._paused(v_policy.name));
    IF v_message IS NOT NULL THEN
        RETURN retention._finish(v_run, 'paused', NULL, v_message);
    END IF;
    -- Reading what the policy asks for, and counting, reads tables that somebody may have locked.
    PERFORM retention._wait_at_most(v_policy.lock_timeout_ms * 10::bigint);
    BEGIN
        v_message := retention._objection(v_policy.name);
        IF v_message IS NULL AND EXISTS (SELECT FROM retention.hold h WHERE h.released_at IS NULL) THEN
            v_message := coalesce(retention._vain_hold(v_policy.name, v_request.as_of), retention._homeless_hold(v_request.as_of));
        END IF;
        IF v_message IS NULL THEN
            PERFORM retention._prepare(v_run, v_policy);
            v_message := retention._surplus(v_run);
        END IF;
        v_resume := retention._resume_point(v_run);
    EXCEPTION WHEN lock_not_available THEN
        RETURN retention._finish(v_run, 'more', '55P03', 'a table is locked by somebody else');
    END;
    IF v_message IS NOT NULL THEN
        RETURN retention._finish(v_run, 'tripped', NULL, v_message);
    END IF;

    UPDATE retention.run r
    SET from_start = v_resume.end_position IS NULL, filenode = pg_relation_filenode(v_table),
        hold_tables = ARRAY(SELECT DISTINCT retention._table(x)
                            FROM unnest(v_policy.table_name || v_policy.related || v_policy.reach) x)
    WHERE r.id = v_run;
    INSERT INTO retention.batch (run_id, n, mode, ms, next_pass, next_position, next_rows)
    VALUES (v_run, 0, 'start', extract(epoch FROM clock_timestamp() - v_started) * 1000,
            1, v_resume.end_position,
            -- The fast shape needs a position: the first batch, which has none, finds it soon.
            CASE WHEN v_policy.passes -> 0 ->> 'range' IS NULL OR v_resume.end_position IS NOT NULL
                 THEN v_policy.batch_rows ELSE least(v_policy.batch_rows, 100) END);
    RETURN (v_run, true, NULL)::retention.step;
END
$function$;
REVOKE ALL ON FUNCTION retention._begin(retention.request) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION retention._begin(retention.request) TO retention_runner, retention_operator;
