CREATE TABLE public.good_jobs (
    id             uuid PRIMARY KEY,
    active_job_id  uuid NOT NULL,
    queue_name     text,
    created_at     timestamptz NOT NULL,
    finished_at    timestamptz,
    error          text
);
CREATE INDEX index_good_jobs_jobs_on_finished_at ON public.good_jobs (finished_at) WHERE finished_at IS NOT NULL;

-- One row for each attempt; no foreign key.
CREATE TABLE public.good_job_executions (
    id             uuid PRIMARY KEY,
    active_job_id  uuid NOT NULL,
    created_at     timestamptz NOT NULL,
    error          text
);
CREATE INDEX index_good_job_executions_on_active_job_id ON public.good_job_executions (active_job_id);

CREATE TABLE public.good_job_batches (
    id            uuid PRIMARY KEY,
    created_at    timestamptz NOT NULL,
    finished_at   timestamptz,
    discarded_at  timestamptz
);
