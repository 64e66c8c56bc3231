-- effect is one row of the result of <policy>_effects: what a step would do. It is one of these:
-- - a row that would be deleted or changed (rel, tid)
-- - a table or partition that would be dropped or detached (rel)
-- - a number of rows (n)
-- verb "refused", without a note: n rows whose key an archive already has
-- verb "refused", with a note: n rows name a table that a run refuses to drop
-- verb "unknown": note says why the numbers of a step differ from those of a run. Step 0 stands for
-- all numbers.
CREATE TYPE retention.effect AS (
    step integer, verb text, table_name text, rel oid, tid tid, n bigint, note text
);
