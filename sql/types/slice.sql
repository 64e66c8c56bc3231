-- Which rows of a policy are meant: when, by which window, scope and entry of "due" (pass, NULL: any); groups of a
-- rank. <policy>_take takes those behind lo up to hi of the cursor, or the given ones (rels, tids), which are locked and
-- judged. inputs: what the run read when it started. last: nothing due is behind hi. prove: there is no row.
CREATE TYPE retention.slice AS (
    as_of timestamptz, older_than interval, scope jsonb, run_id bigint, reason text, inputs jsonb, pass integer,
    groups jsonb, lo jsonb, hi jsonb, rels oid[], tids tid[], last boolean, prove boolean
);
