-- probe has a row for each policy whose question "is any row due?" run_if_due() can answer by one
-- query. See _put_probe.
-- schema_name, rel_name: the policy's table
-- query: SQL of a condition, true if any row of the table can be due. $1 is a batch_range. All
--   names in it mean objects of pg_catalog or of the runtime, columns of the table, or enum types.
-- mark: the mark of the policy (see retention.vouched) when a run last found no due row
-- asked_at: when this run began
CREATE TABLE IF NOT EXISTS retention.probe (
    policy text PRIMARY KEY, schema_name name NOT NULL, rel_name name NOT NULL, query text NOT NULL,
    mark text, asked_at timestamptz
);
