-- Jobs, and what says where a job stands: one row in one of these tables, which goes with the job.
CREATE TABLE public.solid_queue_jobs (
    id             bigint PRIMARY KEY,
    queue_name     text NOT NULL,
    class_name     text NOT NULL,
    arguments      text,
    priority       integer NOT NULL DEFAULT 0,
    active_job_id  text,
    scheduled_at   timestamp(6),
    finished_at    timestamp(6),
    created_at     timestamp(6) NOT NULL
);
CREATE INDEX index_solid_queue_jobs_on_finished_at ON public.solid_queue_jobs (finished_at);

CREATE TABLE public.solid_queue_ready_executions (
    id      bigint PRIMARY KEY,
    job_id  bigint NOT NULL UNIQUE REFERENCES public.solid_queue_jobs ON DELETE CASCADE
);

CREATE TABLE public.solid_queue_claimed_executions (
    id      bigint PRIMARY KEY,
    job_id  bigint NOT NULL UNIQUE REFERENCES public.solid_queue_jobs ON DELETE CASCADE
);

CREATE TABLE public.solid_queue_failed_executions (
    id      bigint PRIMARY KEY,
    job_id  bigint NOT NULL UNIQUE REFERENCES public.solid_queue_jobs ON DELETE CASCADE,
    error   text
);
