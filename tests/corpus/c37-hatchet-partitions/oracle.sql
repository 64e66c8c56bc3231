-- At midnight, so that one partition ends on the bound: January 29th, exactly 30 days ago.
-- as_of: 2026-03-01 00:00:00+00

-- table: public.v1_runs_olap
SELECT * FROM v1_runs_olap WHERE inserted_at > date '2026-01-29';

-- table: public.v1_tasks_olap
SELECT * FROM v1_tasks_olap WHERE inserted_at > date '2026-01-29';

-- table: public.v1_payload
SELECT * FROM v1_payload WHERE inserted_at = date '2025-12-01';

-- table: (SELECT relname::text AS name FROM pg_class WHERE relname ~ '_olap|^v1_payload' AND relkind IN ('r', 'p')) c
SELECT relname::text AS name FROM pg_class WHERE relname ~ '_olap|^v1_payload' AND relkind IN ('r', 'p')
AND relname NOT IN ('v1_runs_olap_20260128', 'v1_runs_olap_20260129', 'v1_tasks_olap_20260129', 'v1_payload_20251130');

-- table: public.payload_offload
SELECT * FROM payload_offload WHERE inserted_on >= date '2026-01-30';

-- table: retention.event
SELECT 'payload_object_unused' AS event, jsonb_build_object('key', key) AS payload FROM payload_offload WHERE inserted_on < date '2026-01-30';

-- table: public.worker
SELECT * FROM worker WHERE CASE WHEN last_heartbeat_at IS NULL THEN created_at ELSE last_heartbeat_at END >= timestamp '2026-02-22 00:00';

-- table: public.user_session
SELECT * FROM user_session WHERE expires_at >= timestamp '2026-03-01 00:00';

-- table: public.queue_item
SELECT * FROM queue_item WHERE is_queued;
