-- A job is a schedule and the ordered policies and reports that it runs; written by migrations. A
-- strict one goes on only after "done"; scope narrows every policy of it. installed_at is when a migration last wrote
-- the row: lateness is reckoned from then on.
CREATE TABLE IF NOT EXISTS retention.job (
    name text PRIMARY KEY,
    description text NOT NULL DEFAULT '',
    schedules text[] NOT NULL,
    policies text[] NOT NULL,
    strict boolean NOT NULL DEFAULT false,
    scope jsonb,
    installed_at timestamptz NOT NULL DEFAULT pg_catalog.now()
);
