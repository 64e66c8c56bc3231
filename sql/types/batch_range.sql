-- batch_range determines which rows of a policy a function returns or takes.
-- as_of, older_than, scope: the time, the window and the scope
-- inputs: what the run read at its start
-- pass: the number of an entry of "due", NULL for any entry
-- groups: the groups of a rank
-- lo, hi: positions of the cursor. <policy>_take takes the rows after lo, up to hi.
-- rels, tids: instead of lo and hi, the rows that <policy>_take takes. The batch has locked and
--   rechecked them.
-- last: true if no row after hi is due
-- prove: true to run the statements without any row
-- unheld: conditions under which no hold keeps row t, see _unheld
-- judge: true if a batch evaluates guards before it locks rows, because guards kept most rows of
--   the last batch
CREATE TYPE retention.batch_range AS (
    as_of timestamptz, older_than interval, scope jsonb, run_id bigint, reason text, inputs jsonb, pass integer,
    groups jsonb, lo jsonb, hi jsonb, rels oid[], tids tid[], last boolean, prove boolean,
    unheld text, judge boolean
);
