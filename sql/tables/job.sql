-- A schedule and the ordered policies and reports that it runs. every is the longest time between two of its ticks. A
-- strict one goes on only after "done". Lateness is reckoned from installed_at on.
CREATE TABLE IF NOT EXISTS retention.job (
    name text PRIMARY KEY, words text NOT NULL DEFAULT '', schedules text[] NOT NULL, every interval,
    policies text[] NOT NULL, strict boolean NOT NULL DEFAULT false, scope jsonb,
    installed_at timestamptz NOT NULL DEFAULT pg_catalog.now()
);
