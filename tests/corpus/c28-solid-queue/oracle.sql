-- as_of: 2025-06-01 12:00:00+00

-- table: public.solid_queue_jobs
SELECT * FROM public.solid_queue_jobs
WHERE finished_at IS NULL
   OR :as_of - finished_at AT TIME ZONE 'UTC' <= CASE class_name WHEN 'HeartbeatJob' THEN interval '60 min' ELSE '24:00' END;

-- table: public.solid_queue_failed_executions
SELECT e.* FROM public.solid_queue_failed_executions e JOIN public.solid_queue_jobs j ON j.id = e.job_id
WHERE j.finished_at IS NULL
   OR :as_of - j.finished_at AT TIME ZONE 'UTC' <= CASE j.class_name WHEN 'HeartbeatJob' THEN interval '60 min' ELSE '24:00' END;
