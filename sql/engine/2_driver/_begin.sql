-- _begin begins a run of a policy: it inserts the run's row. The next transaction executes the
-- first step. For a report, it evaluates the report and ends the run.
-- If the run cannot begin, its row says why. The row's state is "busy" (55P03) if the table has
-- another run, or if a shard has moved or is being moved. It is "failed" in these cases:
-- - as_of is in the future, or the policy does not allow the scope or window (22023).
-- - The policy does not exist (P0002).
-- - An instance cannot be created.
-- After a cancel, the row's state is "stopped".
-- If the table has another run and a job made the call, the result has no run. The driver then
-- calls _begin again until _table_wait_limit() has passed.
-- p_since: when the call began
CREATE OR REPLACE FUNCTION retention._begin(
    p_request retention.request, p_since timestamptz DEFAULT NULL, p_cancelled boolean DEFAULT false)
RETURNS retention.step
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET jit = off AS $function$
DECLARE
    v_started CONSTANT timestamptz := clock_timestamp();
    v_asked CONSTANT retention.request := retention._from_run_job(p_request);
    v_policy retention.policy; v_request retention.request; v_run bigint; v_context text;
    v_taking boolean := false;  -- only _take_table is left
BEGIN
    IF p_cancelled THEN
        RETURN retention._fail(retention._new_run(v_policy, v_asked, v_started), '57014',
            'cancelled while it waited for the table');
    END IF;
    IF strpos(v_asked.policy, '@') > 0 THEN PERFORM retention._ensure_instance(v_asked.policy); END IF;
    v_policy := retention._get_policy(v_asked.policy);
    IF v_asked.as_of > v_started THEN
        RAISE invalid_parameter_value USING MESSAGE = format('as_of %s is in the future', v_asked.as_of),
                  HINT = 'Only retention.preview() accepts a time in the future.';
    END IF;
    v_request := retention._checked(v_policy, v_asked, v_started);
    IF v_policy.report THEN RETURN retention._run_report(v_policy, v_request, v_started); END IF;
    v_taking := true;
    v_run := retention._take_table(v_policy, v_request, v_started);
    IF v_started - p_since >= interval '1 s' THEN
        UPDATE retention.run r
        SET waited_s = extract(epoch FROM v_started - p_since), waited_for = 'the table, which another call had'
        WHERE r.id = v_run;
    END IF;
    RETURN (v_run, true, NULL)::retention.step;
EXCEPTION WHEN query_canceled OR assert_failure OR OTHERS THEN
    GET STACKED DIAGNOSTICS v_context = PG_EXCEPTION_CONTEXT;
    IF SQLSTATE = '55P03' AND v_taking
        AND clock_timestamp() < p_since + retention._table_wait_limit(v_asked.job) THEN
        RETURN (NULL, true, NULL)::retention.step;
    ELSIF SQLSTATE = '55P03' THEN
        RETURN retention._finish(
            retention._new_run(v_policy, v_asked, clock_timestamp()), 'busy', NULL, SQLERRM);
    END IF;
    RETURN retention._fail(retention._new_run(v_policy, v_asked, clock_timestamp()),
        CASE WHEN SQLSTATE = '57014' AND retention._refused_by(SQLSTATE, v_context, SQLERRM) IN ('row', 'server')
            THEN 'P0001' ELSE SQLSTATE END, SQLERRM);
END $function$;
