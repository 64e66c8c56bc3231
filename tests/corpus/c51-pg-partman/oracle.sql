-- Midnight: the third month before ends where a partition does.
-- as_of: 2026-03-01 00:00:00+00
-- idle: audits

-- table: app.event
-- The rows of the default partition are older, and stay.
SELECT * FROM app.event WHERE at < timestamptz '2025-11-01 00:00+00' OR at >= timestamptz '2025-12-01 00:00+00';

-- table: app.metric
SELECT * FROM app.metric WHERE at >= timestamptz '2026-01-01 00:00+00';

-- table: app.metric_p20251101
SELECT * FROM app.metric_p20251101;

-- table: app.metric_p20251201
SELECT * FROM app.metric_p20251201;

-- table: app.item
SELECT * FROM app.item WHERE id >= 100;

-- table: (SELECT c.oid::regclass::text AS name, c.relispartition AS attached FROM pg_class c WHERE c.relnamespace = 'app'::regnamespace AND c.relkind IN ('r', 'p')) c
SELECT c.oid::regclass::text AS name, c.relispartition AND c.relname NOT LIKE 'metric_p2025%' AS attached
FROM pg_class c WHERE c.relnamespace = 'app'::regnamespace AND c.relkind IN ('r', 'p') AND c.relname NOT IN ('event_p20251101', 'item_p0');
