-- Sends one NOTIFY a run for the events that runs of this session wrote; not when the queue is more than half full,
-- since a COMMIT that finds it full fails: then the run's note says so.
CREATE OR REPLACE FUNCTION retention._ring(
    p_runs bigint[], p_full double precision DEFAULT pg_catalog.pg_notification_queue_usage()) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $function$
DECLARE v_run record;
BEGIN
    FOR v_run IN SELECT r.id, r.policy, (r.related ->> 'retention.event')::bigint AS events
                 FROM retention.run r
                 WHERE r.id = ANY (p_runs) AND r.pid = pg_backend_pid()
                   AND (r.related ->> 'retention.event')::bigint > 0
                 ORDER BY r.id
    LOOP
        IF p_full > 0.5 THEN
            PERFORM retention._note_failure(ARRAY[v_run.id], 'no NOTIFY', format(
                'the queue is %s%% full, because a session listens and never ends its transaction',
                round((p_full * 100)::numeric)));
        ELSE
            PERFORM pg_notify('pgretain', jsonb_build_object(
                'policy', v_run.policy, 'run', v_run.id, 'events', v_run.events)::text);
        END IF;
    END LOOP;
EXCEPTION WHEN query_canceled OR OTHERS THEN PERFORM retention._note_failure(p_runs, 'no NOTIFY', SQLERRM);
END $function$;
