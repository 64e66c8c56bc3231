CREATE SCHEMA graphile_worker;

CREATE TABLE graphile_worker._private_job_queues (
    id          integer PRIMARY KEY,
    queue_name  text NOT NULL UNIQUE,
    locked_at   timestamptz,
    locked_by   text
);

CREATE TABLE graphile_worker._private_tasks (
    id          integer PRIMARY KEY,
    identifier  text NOT NULL UNIQUE
);

-- task_id and job_queue_id have no foreign keys.
CREATE TABLE graphile_worker._private_jobs (
    id            bigint PRIMARY KEY,
    job_queue_id  integer,
    task_id       integer NOT NULL,
    payload       json NOT NULL DEFAULT '{}',
    attempts      smallint NOT NULL DEFAULT 0,
    max_attempts  smallint NOT NULL DEFAULT 25,
    locked_at     timestamptz
);
CREATE INDEX jobs_task ON graphile_worker._private_jobs (task_id);
CREATE INDEX jobs_queue ON graphile_worker._private_jobs (job_queue_id);
