-- as_of: 2025-06-01 12:00:00+00

-- table: public.event_entity
SELECT e.* FROM public.event_entity e
WHERE NOT coalesce((SELECT r.events_expiration > 0
                       AND e.event_time < extract(epoch FROM :as_of) * 1000 - r.events_expiration * 1000
                    FROM public.realm r WHERE r.id = e.realm_id), false);

-- table: public.admin_event_entity
SELECT * FROM public.admin_event_entity
WHERE admin_event_time IS NULL OR admin_event_time >= CASE realm_id
    WHEN 'hour' THEN 1748779200000 - 3600 * 1000
    WHEN 'day' THEN 1748779200000 - 86400 * 1000
    WHEN 'gone' THEN 1748779200000 - 60 * 1000
    ELSE 0 END;
