CREATE SCHEMA river;

CREATE TYPE river.job_state AS ENUM
    ('available', 'cancelled', 'completed', 'discarded', 'pending', 'retryable', 'running', 'scheduled');

CREATE TABLE river.river_job (
    id            bigint PRIMARY KEY,
    state         river.job_state NOT NULL DEFAULT 'available',
    queue         text NOT NULL DEFAULT 'default',
    kind          text NOT NULL,
    args          jsonb NOT NULL DEFAULT '{}',
    attempt       smallint NOT NULL DEFAULT 0,
    created_at    timestamptz NOT NULL DEFAULT now(),
    finalized_at  timestamptz,
    CONSTRAINT finalized_or_not CHECK
        ((finalized_at IS NOT NULL) = (state IN ('cancelled', 'completed', 'discarded')))
);
