-- Counts what a run would do and writes that down, as a run that is "done" and took nothing. Locks what reading does.
CREATE OR REPLACE FUNCTION retention._dry_run(
    p_policy retention.policy, p_request retention.request, p_started timestamptz) RETURNS retention.step
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $function$
DECLARE
    v_run CONSTANT bigint := retention._new_run(p_policy, p_request, p_started);
    v_found record; v_why text;
BEGIN
    PERFORM set_config('lock_timeout', least(p_policy.lock_timeout_ms * 10::bigint, 2147483647)::text, true);
    BEGIN
        SELECT * INTO v_found
        FROM retention.preview(p_policy.name, p_request.as_of, p_request.older_than,
            coalesce(p_request.scope, '"all"'));
    EXCEPTION WHEN lock_not_available THEN
        RETURN retention._finish(v_run, 'more', '55P03', 'a table is locked by somebody else');
    END;
    v_why := coalesce(v_found.stopped_by, CASE WHEN v_found.would_trip THEN format(
        '%s rows are due, the breaker allows %s', v_found.due, v_found.breaker_limit) END);
    PERFORM retention._finish(v_run, 'done', NULL, concat(
        'would take ', CASE WHEN v_why IS NULL THEN least(v_found.due, p_policy.budget_rows) ELSE 0 END,
        ' rows', ': ' || v_why));
    UPDATE retention.run r SET due = v_found.due, kept = v_found.kept, breaker_limit = v_found.breaker_limit
    WHERE r.id = v_run;
    RETURN (v_run, false, NULL)::retention.step;
END $function$;
