-- What was asked of a run: the arguments of retention.run, and the job that asks. Once checked,
-- as_of and older_than are what the run goes by; note says what the run log should know of that.
CREATE TYPE retention.request AS (
    policy text, as_of timestamptz, reason text, job text, older_than interval, scope jsonb, dry_run boolean, note text
);
