-- as_of: 2025-06-01 12:00:00+00

-- Zero is never; organisation 5 has no row.
-- table: public.audit_logs
SELECT * FROM public.audit_logs
WHERE inserted_at >= CASE org_id WHEN 2 THEN timestamp '2025-05-25 12:00' WHEN 3 THEN '2024-06-01 12:00' WHEN 4 THEN '-infinity' ELSE '2025-05-02 12:00' END;

-- Devices 16 and 17 were deleted more than twelve days ago.
-- table: public.device_health
SELECT h.* FROM public.device_health h JOIN public.devices d ON d.id = h.device_id
WHERE d.id NOT IN (16, 17)
  AND (h.inserted_at >= '2025-05-25 12:00' OR d.latest_health_id IS NULL OR d.latest_health_id = h.id);

-- table: public.devices
SELECT * FROM public.devices WHERE id NOT IN (16, 17);

-- table: public.notifications
SELECT org_id, 'device device-' || id || ' destroyed' AS title, timestamp '2025-06-01 12:00' AS inserted_at FROM public.devices WHERE id IN (16, 17);

-- Fifty a round, oldest first.
-- table: public.device_connections
WITH lost AS (
    SELECT id FROM public.device_connections
    WHERE status = 'connected' AND last_seen_at < '2025-06-01 11:56:30'
    ORDER BY last_seen_at LIMIT 50 * :round
)
SELECT id, device_id, last_seen_at,
       CASE WHEN id IN (TABLE lost) THEN 'disconnected' ELSE status END AS status,
       CASE WHEN id IN (TABLE lost) THEN timestamp '2025-06-01 12:00' END AS disconnected_at,
       CASE WHEN id IN (TABLE lost) THEN 'Stale connection' END AS disconnected_reason
FROM public.device_connections;

-- table: public.inflight_updates
SELECT * FROM public.inflight_updates WHERE id >= 9 AND id NOT IN (16, 17);
