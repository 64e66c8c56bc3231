-- How many rows stay, table by table, in plain SQL and asked before the first run: of a window of 90 days, and of 7 days after
-- the end of a row.
WITH bounds AS (SELECT now() - interval '90 days' AS old, now() - interval '7 days' AS expired),
scan AS (SELECT s.* FROM net.parcel_scan s, bounds b WHERE s.recorded_at >= b.old::timestamp),
parcel AS (
    SELECT p.* FROM net.parcel p, bounds b
     WHERE p.delivered_at IS NULL OR p.delivered_at >= b.old
        OR p.id IN (SELECT c.parcel_id FROM net.claim c) OR p.id IN (SELECT s.parcel_id FROM scan s)
)
SELECT 'audit.event' AS table, (SELECT count(*) FROM audit.event, bounds WHERE at >= old) AS rows
UNION ALL SELECT 'net."Door Log"', (SELECT count(*) FROM net."Door Log", bounds WHERE "createdAt" >= old)
UNION ALL SELECT 'net.claim', (SELECT count(*) FROM net.claim)
UNION ALL SELECT 'net.heartbeat', (SELECT count(*) FROM net.heartbeat, bounds WHERE to_timestamp(received_ms / 1000.0) >= old)
UNION ALL SELECT 'net.locker', (SELECT count(*) FROM net.locker)
UNION ALL SELECT 'net.message', (SELECT count(*) FROM net.message m, bounds
                                  WHERE sent_at >= old OR EXISTS (SELECT FROM net.message a WHERE a.answers = m.id))
UNION ALL SELECT 'net.parcel', (SELECT count(*) FROM parcel)
UNION ALL SELECT 'net.parcel_label', (SELECT count(*) FROM net.parcel_label WHERE parcel_id IN (SELECT id FROM parcel))
UNION ALL SELECT 'net.parcel_scan', (SELECT count(*) FROM scan)
UNION ALL SELECT 'net.reading', (SELECT count(*) FROM net.reading)
UNION ALL SELECT 'net.scan_photo', (SELECT count(*) FROM net.scan_photo WHERE scan_id IN (SELECT id FROM scan))
UNION ALL SELECT 'net.survey', (SELECT count(*) FROM net.survey)
UNION ALL SELECT 'net.ticket', (SELECT count(*) FROM net.ticket, bounds WHERE closed_at >= old)
UNION ALL SELECT 'public."user"', (SELECT count(*) FROM public."user")
UNION ALL SELECT 'public.cache', (SELECT count(*) FROM public.cache, bounds WHERE last_used_at >= old)
UNION ALL SELECT 'public.event', (SELECT count(*) FROM public.event, bounds WHERE at >= old)
UNION ALL SELECT 'public.invoice', (SELECT count(*) FROM public.invoice)
UNION ALL SELECT 'public.outbox', (SELECT count(*) FROM public.outbox, bounds WHERE processed_at IS NULL OR processed_at >= old)
UNION ALL SELECT 'public.pickup_code', (SELECT count(*) FROM public.pickup_code, bounds WHERE "validUntil" >= expired)
UNION ALL SELECT 'public.session', (SELECT count(*) FROM public.session, bounds WHERE expires_at >= expired)
