CREATE TYPE public.oban_job_state AS ENUM
    ('available', 'scheduled', 'executing', 'retryable', 'completed', 'discarded', 'cancelled');

-- Times are UTC, without zone.
CREATE TABLE public.oban_jobs (
    id            bigint PRIMARY KEY,
    state         public.oban_job_state NOT NULL DEFAULT 'available',
    queue         text NOT NULL DEFAULT 'default',
    worker        text NOT NULL,
    args          jsonb NOT NULL DEFAULT '{}',
    inserted_at   timestamp NOT NULL,
    scheduled_at  timestamp NOT NULL,
    cancelled_at  timestamp,
    discarded_at  timestamp
);
CREATE INDEX oban_jobs_state_queue_scheduled_at ON public.oban_jobs (state, queue, scheduled_at, id);
