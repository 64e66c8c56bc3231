-- as_of: 2026-08-31 12:00:00+00

-- table: public.documents
SELECT * FROM documents WHERE deleted_at IS NULL OR deleted_at >= :as_of - interval '720 hours';

-- table: public.revisions
SELECT * FROM revisions WHERE document_id NOT IN (SELECT id FROM documents WHERE deleted_at < :as_of - interval '720 hours');

-- table: public.attachments
SELECT * FROM attachments WHERE document_id IS NULL OR document_id NOT IN (SELECT id FROM documents WHERE deleted_at < :as_of - interval '720 hours');

-- table: retention.event
SELECT 'attachment_unused' AS event, jsonb_build_object('key', a.key) AS payload
FROM attachments a JOIN documents d ON d.id = a.document_id WHERE d.deleted_at < :as_of - interval '720 hours'
UNION ALL
SELECT 'export_unused', jsonb_build_object('key', key) FROM file_operations
WHERE type = 'export' AND state = 'complete' AND key IS NOT NULL AND created_at < :as_of - interval '360 hours';

-- table: public.teams
SELECT * FROM teams WHERE deleted_at IS NULL OR deleted_at >= :as_of - interval '720 hours' OR id = id(11);

-- table: public.events
SELECT * FROM events WHERE created_at >= timestamptz '2025-08-31 12:00+00';

-- table: public.search_queries
SELECT * FROM search_queries WHERE created_at >= timestamptz '2025-08-31 12:00+00';

-- table: public.notifications
SELECT * FROM notifications
WHERE created_at >= CASE WHEN viewed_at IS NULL THEN timestamptz '2025-08-31 12:00+00' ELSE '2026-02-28 12:00+00' END;

-- table: public.oauth_clients
SELECT * FROM oauth_clients
WHERE created_by_id IS NOT NULL
   OR last_active_at IS NULL AND created_at >= :as_of - interval '48 hours'
   OR last_active_at >= :as_of - interval '720 hours';

-- table: public.import_tasks
SELECT k.* FROM import_tasks k JOIN imports i ON i.id = k.import_id WHERE i.state = 'processing' OR i.updated_at >= :as_of - interval '24 hours';

-- table: public.file_operations
SELECT id, type, CASE WHEN old THEN 'expired' ELSE state END AS state, CASE WHEN NOT old THEN key END AS key, created_at
FROM (SELECT *, type = 'export' AND state = 'complete' AND created_at < :as_of - interval '360 hours' AS old FROM file_operations) f;

-- table: public.document_insights
SELECT * FROM document_insights WHERE date >= date '2025-08-31';

-- table: public.webhook_deliveries
SELECT * FROM webhook_deliveries WHERE created_at >= :as_of - interval '168 hours';
