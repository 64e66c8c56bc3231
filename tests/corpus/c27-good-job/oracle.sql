-- as_of: 2025-06-01 12:00:00+00

-- table: public.good_jobs
SELECT * FROM public.good_jobs
WHERE NOT coalesce(finished_at < timestamptz '2025-05-18 12:00:00+00', false) OR error IS NOT NULL;

-- table: public.good_job_executions
SELECT * FROM public.good_job_executions
WHERE active_job_id NOT IN (
    SELECT active_job_id FROM public.good_jobs
    WHERE finished_at < timestamptz '2025-05-18 12:00:00+00' AND error IS NULL);

-- table: public.good_job_batches
SELECT * FROM public.good_job_batches
WHERE finished_at IS NULL OR finished_at >= timestamptz '2025-05-18 12:00:00+00' OR discarded_at IS NOT NULL;
