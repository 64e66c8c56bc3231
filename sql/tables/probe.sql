-- probe has a row for each policy whose question "is any row due?" run_if_due() can answer by one
-- query. See _put_probe.
-- schema_name, rel_name: the policy's table
-- query: SQL of a condition, true if any row of the table can be due. $1 is a batch_range. All
--   names in it mean objects of pg_catalog or of the runtime, columns of the table, or enum types.
-- names: the names of functions and operators in it
-- mark: the result of _marks() before the last full questions
-- asked_at: when a run of a job last asked the full questions and found no due row
CREATE TABLE IF NOT EXISTS retention.probe (
    policy text PRIMARY KEY, schema_name name NOT NULL, rel_name name NOT NULL, query text NOT NULL,
    names name[] NOT NULL, mark text, asked_at timestamptz
);
