INSERT INTO graphile_worker._private_job_queues (id, queue_name, locked_at)
SELECT n, 'queue ' || n, CASE WHEN n % 2 = 0 THEN :as_of END FROM generate_series(1, 10) n;

INSERT INTO graphile_worker._private_tasks (id, identifier)
SELECT n, CASE n WHEN 7 THEN 'send_mail' WHEN 1 THEN 'report' ELSE 'task ' || n END FROM generate_series(1, 10) n;

-- Task 2 and queues 3, 4 lose their last job to the first policy; task 3 keeps one.
INSERT INTO graphile_worker._private_jobs (id, task_id, job_queue_id, attempts, max_attempts, locked_at) VALUES
    (1, 1, 1, 25, 25, NULL), (2, 2, 3, 25, 25, NULL), (3, 2, 4, 1, 1, NULL), (4, 3, NULL, 24, 25, NULL), (5, 3, 5, 25, 25, NULL),
    (6, 4, NULL, 25, 25, :as_of - interval '1 day'), (7, 5, 5, 0, 25, NULL), (8, 6, 6, 26, 25, NULL), (9, 99, 98, 25, 25, NULL);
