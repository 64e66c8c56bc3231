-- _notify_events sends NOTIFY for events that no run wrote, see _notify.
CREATE OR REPLACE FUNCTION retention._notify_events(p_policy text, p_events bigint) RETURNS void
LANGUAGE plpgsql AS $function$
BEGIN
    IF p_events > 0 AND pg_notification_queue_usage() <= 0.5 THEN
        PERFORM pg_notify('pgretain', jsonb_build_object('policy', p_policy, 'events', p_events)::text);
    END IF;
END $function$;
