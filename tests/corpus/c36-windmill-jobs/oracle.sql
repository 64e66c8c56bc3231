-- as_of: 2026-03-01 12:00:00+00

-- table: public.completed_job
SELECT * FROM completed_job
WHERE started_at IS NULL OR started_at + make_interval(secs => duration_ms / 1000.0) + make_interval(secs => 604800) > :as_of;

-- table: public.job_stats
SELECT * FROM job_stats WHERE job_id NOT IN (
    SELECT id FROM completed_job WHERE started_at + make_interval(secs => duration_ms / 1000.0) + make_interval(secs => 604800) <= :as_of);

-- table: public.job_logs
SELECT * FROM job_logs WHERE job_id NOT IN (
    SELECT id FROM completed_job WHERE started_at + make_interval(secs => duration_ms / 1000.0) + make_interval(secs => 604800) <= :as_of);

-- table: retention.event
SELECT 'completed_jobs' AS policy, 'log_files_unused' AS event, jsonb_build_object('job_id', job_id, 'files', log_file_index) AS payload
FROM job_logs WHERE log_file_index IS NOT NULL AND job_id IN (
    SELECT id FROM completed_job WHERE started_at + make_interval(secs => duration_ms / 1000.0) + make_interval(secs => 604800) <= :as_of);

-- table: public.concurrency_key
SELECT * FROM concurrency_key WHERE (ended_at + interval '168 hours' <= :as_of) IS NOT TRUE;

-- table: public.token
SELECT * FROM token WHERE (expiration <= :as_of) IS NOT TRUE;

-- table: public.resource
SELECT * FROM resource WHERE path NOT IN ('cache/1', 'cache/3', 'cache/7');

-- table: public.metrics
SELECT * FROM metrics WHERE left(id, 6) <> 'queue_' OR created_at + interval '336 hours' > :as_of;
