-- Sends one NOTIFY a run for the events that runs of this session wrote; not while the queue is more than half full, of
-- which PostgreSQL warns in its log: a COMMIT that finds it full fails. Events wait in their table all the same.
CREATE OR REPLACE FUNCTION retention._notify(
    p_runs bigint[], p_full double precision DEFAULT pg_catalog.pg_notification_queue_usage()) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $function$
BEGIN
    PERFORM pg_notify('pgretain', jsonb_build_object(
        'policy', r.policy, 'run', r.id, 'events', r.related -> 'retention.event')::text)
    FROM retention.run r
    WHERE r.id = ANY (p_runs) AND r.pid = pg_backend_pid() AND p_full <= 0.5 AND NOT r.dry_run
      AND (r.related ->> 'retention.event')::bigint > 0
    ORDER BY r.id;
END $function$;
