-- request is what a caller asks of a run: the arguments of retention.run, and the job that asks.
-- _checked returns it with the as_of and the window (older_than) that the run uses. note is a
-- remark for the run log.
CREATE TYPE retention.request AS (
    policy text, as_of timestamptz, reason text, job text, older_than interval, scope jsonb, dry_run boolean, note text
);
