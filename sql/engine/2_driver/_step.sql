-- _step executes the next step of a run of this session, by _run_step. If an error is not caused by
-- a row, _step rolls the step back and ends the run (_fail). A cancel has the same effect, during
-- the step or before it (p_cancelled). An error 57014 that code of the application or another
-- server raises is no cancel, and the log has it as P0001. If a migration has replaced, or is
-- replacing, the functions that the step calls, the run ends "more" or "paused" instead.
-- Locks: ROW EXCLUSIVE on the policy's table and FOR UPDATE on rows. It waits at most lock_timeout
-- for each.
CREATE OR REPLACE FUNCTION retention._step(p_run bigint, p_cancelled boolean DEFAULT false) RETURNS retention.step
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET jit = off SET row_security = off
SET gin_fuzzy_search_limit = 0 AS $function$
DECLARE v_run retention.run; v_why text; v_context text; v_code text; v_by text;
BEGIN
    IF p_cancelled THEN
        RETURN retention._fail((retention._running(p_run)).id, '57014', 'cancelled between two batches');
    END IF;
    PERFORM retention._refuse_after_write();
    v_run := retention._running(p_run);
    IF v_run.dry_run THEN  -- only _dry_run() undoes what a step does
        RAISE object_not_in_prerequisite_state USING MESSAGE = 'a step of a dry run cannot be committed';
    END IF;
    RETURN retention._run_step(p_run);
EXCEPTION WHEN query_canceled OR assert_failure OR OTHERS THEN
    GET STACKED DIAGNOSTICS v_context = PG_EXCEPTION_CONTEXT;
    v_by := retention._refused_by(SQLSTATE, v_context, SQLERRM);
    v_code := CASE WHEN SQLSTATE = '57014' AND v_by IN ('row', 'server') THEN 'P0001' ELSE SQLSTATE END;
    v_run := retention._running(p_run);
    IF v_code <> '57014' AND NOT EXISTS (SELECT FROM retention.policy p JOIN retention.install i
            ON i.runtime_version = '1' WHERE p.name = v_run.policy AND p.hash = v_run.policy_hash) THEN
        v_why := retention._half_upgraded();
        RETURN retention._finish(p_run, CASE WHEN v_why IS NULL THEN 'more' ELSE 'paused' END, NULL,
            coalesce(v_why, 'the policy was changed during the run'));
    END IF;
    RETURN retention._fail(p_run, v_code, concat(CASE v_by WHEN 'server' THEN 'another server: ' END, SQLERRM));
END $function$;
