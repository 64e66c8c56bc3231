CREATE FUNCTION pg_temp.key(kind int, n bigint) RETURNS uuid LANGUAGE sql RETURN
    (lpad(to_hex(kind), 8, '0') || '-0000-0000-0000-' || lpad(to_hex(n), 12, '0'))::uuid;

INSERT INTO public.orgs (id, name, audit_log_days_to_keep) VALUES (1, 'none', NULL), (2, 'week', 7), (3, 'year', 365), (4, 'zero', 0);
INSERT INTO public.audit_logs (id, org_id, inserted_at)
SELECT pg_temp.key(1, row_number() OVER ()), org, (:as_of - days * interval '24 hours' - us * interval '1 us') AT TIME ZONE 'UTC'
FROM generate_series(1, 5) org, (VALUES (0), (7), (30), (365), (1000)) d(days), generate_series(-1, 1) us;

-- Devices: whose latest report is the newest, the oldest, none, and one that is gone; some are deleted.
INSERT INTO public.devices (id, org_id, identifier, latest_health_id, deleted_at)
SELECT n, n % 4 + 1, 'device-' || n, CASE n % 4 WHEN 0 THEN pg_temp.key(2, n * 10 + 1) WHEN 1 THEN pg_temp.key(2, n * 10 + 6) WHEN 2 THEN pg_temp.key(2, 0) END,
       :as_of AT TIME ZONE 'UTC' - (CASE WHEN n > 12 THEN interval '288 hours' + (n - 15) * interval '1 us' END)
FROM generate_series(1, 17) n;
INSERT INTO public.device_health (id, device_id, inserted_at)
SELECT pg_temp.key(2, d.id * 10 + a.n), d.id, (:as_of - a.ago) AT TIME ZONE 'UTC'
FROM public.devices d, (VALUES (1, interval '0'), (2, '167:59:59.999999'), (3, '168 hours'), (4, '168:00:00.000001'), (5, '10 days'), (6, '1 year')) a(n, ago);

-- 130 connections, each last seen a millisecond before the one before; the first 30 are in time.
INSERT INTO public.device_connections (id, device_id, status, last_seen_at)
SELECT pg_temp.key(3, n), 1 + n % 12, CASE WHEN n % 10 = 0 THEN 'disconnected' WHEN n % 10 = 1 THEN 'connecting' ELSE 'connected' END,
       :as_of AT TIME ZONE 'UTC' - interval '3 min 30 s' - (n - 30) * interval '1 ms'
FROM generate_series(1, 150) n;
INSERT INTO public.inflight_updates (id, device_id, expires_at)
SELECT n, n, :as_of AT TIME ZONE 'UTC' + (n - 9) * interval '1 us' FROM generate_series(1, 17) n;
