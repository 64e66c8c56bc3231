-- as_of: 2026-03-01 12:00:00.12345+00

-- table: public.experiments
SELECT * FROM experiments WHERE experiment_id <> 2;

-- table: public.runs
SELECT * FROM runs
WHERE experiment_id <> 2 AND (lifecycle_stage = 'active' OR deleted_time IS NULL
    OR deleted_time >= floor(extract(epoch FROM :as_of) * 1000) - 30 * 86400000::bigint);

-- table: public.metrics
SELECT m.* FROM metrics m JOIN runs USING (run_uuid)
WHERE experiment_id <> 2 AND (lifecycle_stage = 'active' OR deleted_time IS NULL
    OR deleted_time >= floor(extract(epoch FROM :as_of) * 1000) - 30 * 86400000::bigint);

-- table: public.params
SELECT p.* FROM params p JOIN runs USING (run_uuid)
WHERE experiment_id <> 2 AND (lifecycle_stage = 'active' OR deleted_time IS NULL
    OR deleted_time >= floor(extract(epoch FROM :as_of) * 1000) - 30 * 86400000::bigint);

-- table: public.tags
SELECT g.* FROM tags g JOIN runs USING (run_uuid)
WHERE experiment_id <> 2 AND (lifecycle_stage = 'active' OR deleted_time IS NULL
    OR deleted_time >= floor(extract(epoch FROM :as_of) * 1000) - 30 * 86400000::bigint);

-- table: retention.event
SELECT 'files_unused' AS event, jsonb_build_object('uri', artifact_uri) AS payload FROM runs
WHERE NOT (experiment_id <> 2 AND (lifecycle_stage = 'active' OR deleted_time IS NULL
    OR deleted_time >= floor(extract(epoch FROM :as_of) * 1000) - 30 * 86400000::bigint));
