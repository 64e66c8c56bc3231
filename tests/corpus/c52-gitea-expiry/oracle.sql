-- as_of: 2026-03-01 12:00:00+00

-- table: public.action_artifact
SELECT id, CASE WHEN status = 2 AND expired_unix < extract(epoch FROM :as_of) THEN 4 ELSE status END AS status, expired_unix, storage_path FROM action_artifact;

-- table: retention.event
SELECT 'file_unused' AS event, jsonb_build_object('path', storage_path) AS payload FROM action_artifact WHERE status = 2 AND expired_unix < extract(epoch FROM :as_of);

-- table: public.notice
SELECT * FROM notice WHERE extract(epoch FROM :as_of) - created_unix <= 365 * 86400;
