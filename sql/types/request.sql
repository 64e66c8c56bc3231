-- request has the arguments of a call of retention.run, and the job that calls it. _checked returns
-- a request with the as_of and the window (older_than) that the run uses.
-- note: a remark for the run log
CREATE TYPE retention.request AS (
    policy text, as_of timestamptz, reason text, job text, older_than interval, scope jsonb, dry_run boolean, note text
);
