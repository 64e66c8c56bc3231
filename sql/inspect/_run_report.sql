-- _run_report runs a report. It evaluates the query and stores the rows with their date. If rows
-- alert, it inserts an event. Raises 54000 for more than 10000 rows.
CREATE OR REPLACE FUNCTION retention._run_report(
    p_policy retention.policy, p_request retention.request, p_started timestamptz) RETURNS retention.step
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $function$
DECLARE
    v_run CONSTANT bigint := retention._new_run(p_policy, p_request, p_started);
    v_why CONSTANT text := coalesce(retention._copy(), retention._paused(p_policy.name));
    v_rows bigint; v_alerts integer; v_answers jsonb; v_alerting jsonb;
BEGIN
    IF v_why IS NOT NULL THEN RETURN retention._finish(v_run, 'paused', NULL, v_why); END IF;
    PERFORM set_config('lock_timeout', least(p_policy.lock_timeout_ms * 10::bigint, 2147483647)::text, true);
    SELECT count(*), count(*) FILTER (WHERE x.alert), coalesce(jsonb_agg(x.answer), '[]'),
           to_jsonb((array_agg(x.answer) FILTER (WHERE x.alert))[1:20])
    INTO v_rows, v_alerts, v_answers, v_alerting
    FROM (SELECT a.answer, a.alert FROM retention.report_rows(p_policy.name, p_request.as_of) a LIMIT 10001) x;
    IF v_rows > 10000 THEN
        RAISE program_limit_exceeded USING MESSAGE = format('report "%s" has more than 10000 rows', p_policy.name),
                  HINT = 'Let its query return fewer rows, with GROUP BY or LIMIT.';
    END IF;
    PERFORM retention._finish(v_run, 'done', NULL, format('%s rows, %s alerts', v_rows, v_alerts));
    INSERT INTO retention.report (name, as_of, run_id, rows, alerts)
    VALUES (p_policy.name, p_request.as_of, v_run, v_answers, v_alerts);
    IF v_alerts > 0 THEN
        INSERT INTO retention.event (run_id, policy, event, payload)
        VALUES (v_run, p_policy.name, 'report_alert', jsonb_build_object(
            'as_of', p_request.as_of, 'alerts', v_alerts, 'rows', v_alerting));
        UPDATE retention.run r SET related = '{"retention.event": 1}' WHERE r.id = v_run;
    END IF;
    RETURN (v_run, false, NULL)::retention.step;
END $function$;
