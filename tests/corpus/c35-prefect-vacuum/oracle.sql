-- as_of: 2026-03-01 12:00:00+00

-- table: public.flow_run
SELECT * FROM flow_run
WHERE parent_task_run_id IS NOT NULL OR state_type = 'RUNNING' OR end_time IS NULL OR end_time >= :as_of - interval '90 days';

-- table: public.task_run
SELECT * FROM task_run WHERE flow_run_id IS NULL OR flow_run_id IN (
    SELECT id FROM flow_run
    WHERE parent_task_run_id IS NOT NULL OR state_type = 'RUNNING' OR end_time IS NULL OR end_time >= :as_of - interval '90 days');

-- table: public.log
SELECT * FROM log WHERE flow_run_id IS NULL OR flow_run_id IN (
    SELECT id FROM flow_run
    WHERE parent_task_run_id IS NOT NULL OR state_type = 'RUNNING' OR end_time IS NULL OR end_time >= :as_of - interval '90 days');

-- table: public.artifact
SELECT * FROM artifact WHERE flow_run_id IS NULL OR flow_run_id IN (
    SELECT id FROM flow_run
    WHERE parent_task_run_id IS NOT NULL OR state_type = 'RUNNING' OR end_time IS NULL OR end_time >= :as_of - interval '90 days');

-- table: public.artifact_collection
WITH run AS (
    SELECT id FROM flow_run
    WHERE parent_task_run_id IS NOT NULL OR state_type = 'RUNNING' OR end_time IS NULL OR end_time >= :as_of - interval '90 days'),
rest AS (
    SELECT a.*, row_number() OVER (PARTITION BY key ORDER BY created DESC, id DESC) AS place
    FROM artifact a WHERE a.flow_run_id IS NULL OR a.flow_run_id IN (SELECT id FROM run))
SELECT c.* FROM artifact_collection c WHERE c.latest_id IN (SELECT id FROM rest)
UNION ALL
SELECT c.id, c.key, a.id, a.flow_run_id, a.type, a.data
FROM artifact_collection c JOIN rest a ON a.key = c.key AND a.place = 1 WHERE c.latest_id NOT IN (SELECT id FROM rest);

-- table: public.events
SELECT * FROM events
WHERE occurred >= :as_of - CASE WHEN event = 'prefect.flow-run.heartbeat' THEN 1 WHEN event LIKE 'prefect.log.%' THEN 3 ELSE 7 END * interval '1 day';

-- table: public.event_resources
SELECT r.* FROM event_resources r LEFT JOIN events e ON e.id = r.event_id
WHERE e.id IS NULL
   OR e.occurred >= :as_of - CASE WHEN event = 'prefect.flow-run.heartbeat' THEN 1 WHEN event LIKE 'prefect.log.%' THEN 3 ELSE 7 END * interval '1 day';
