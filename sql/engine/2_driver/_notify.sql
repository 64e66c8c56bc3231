-- _notify sends one NOTIFY for each run of this session that wrote events. It sends none while the
-- queue is more than half full, because PostgreSQL then logs a warning, and COMMIT fails when the
-- queue is full. The events stay in their table.
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
