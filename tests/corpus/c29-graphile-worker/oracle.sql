-- as_of: 2025-06-01 12:00:00+00

-- table: graphile_worker._private_jobs
SELECT * FROM graphile_worker._private_jobs WHERE id IN (4, 6, 7, 8);

-- table: graphile_worker._private_tasks
SELECT * FROM graphile_worker._private_tasks WHERE id IN (3, 4, 5, 6) OR identifier IN ('report', 'send_mail');

-- table: graphile_worker._private_job_queues
SELECT * FROM graphile_worker._private_job_queues WHERE locked_at IS NOT NULL OR id = 5;
