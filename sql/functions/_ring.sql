-- Rings the bell for the events that runs of this session wrote: one NOTIFY a run, heard when this transaction
-- commits. Not when the server's queue of notifications is more than half full: a COMMIT that finds it
-- full fails. Then the run's note says so; the events are there all the same.
CREATE OR REPLACE FUNCTION retention._ring(
    p_runs bigint[], p_full double precision DEFAULT pg_catalog.pg_notification_queue_usage())
RETURNS void
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    v_run record;
BEGIN
    FOR v_run IN SELECT r.id, r.policy, (r.related ->> 'retention.event')::bigint AS events
                 FROM retention.run r
                 WHERE r.id = ANY (p_runs) AND r.pid = pg_backend_pid()
                   AND (r.related ->> 'retention.event')::bigint > 0
                 ORDER BY r.id
    LOOP
        IF p_full > 0.5 THEN
            PERFORM retention._add_note(v_run.id, format(
                'no NOTIFY: the queue is %s%% full, because a session listens and never ends its transaction',
                round((p_full * 100)::numeric)));
        ELSE
            PERFORM pg_notify('pgretain', jsonb_build_object(
                'policy', v_run.policy, 'run', v_run.id, 'events', v_run.events)::text);
        END IF;
    END LOOP;
END
$function$;
