DROP INDEX retention.run_one_per_table;
UPDATE pg_index SET indisvalid = false WHERE indexrelid IN ('retention.run_policy'::regclass, 'retention.hold_pkey'::regclass);
CREATE UNIQUE INDEX once ON retention.hold (table_name);
ALTER TABLE retention.total SET UNLOGGED;
-- Harmless.
CREATE INDEX further ON retention.run (started_at);
ALTER TABLE retention.batch SET (fillfactor = 90);
