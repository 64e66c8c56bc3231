-- as owner
INSERT INTO retention.policy
    (name, description, table_name, hash, definition, passes, related, reach,
     batch_rows, lock_timeout_ms, budget_rows, budget_time, breaker_rows, breaker_fraction, busy, built_in)
VALUES
    ('retention_log', 'built in: keeps the run log and cron.job_run_details short', 'retention.run', '00f1ff134db3', 'runs that ended longer ago than install.log_window, the newest of each policy excepted',
     '[{"locked":"retention_log_batch"}]', ARRAY['retention.batch']::text[], ARRAY[]::text[],
     1000, 100, NULL, '1m', NULL, NULL, 1, true)
ON CONFLICT (name) DO UPDATE SET
    description = excluded.description, table_name = excluded.table_name, hash = excluded.hash,
    definition = excluded.definition, passes = excluded.passes, related = excluded.related,
    reach = excluded.reach, batch_rows = excluded.batch_rows, lock_timeout_ms = excluded.lock_timeout_ms,
    budget_rows = excluded.budget_rows, budget_time = excluded.budget_time,
    breaker_rows = excluded.breaker_rows, breaker_fraction = excluded.breaker_fraction,
    busy = excluded.busy, built_in = excluded.built_in;

-- to drop it
DELETE FROM retention.setting WHERE policy = 'retention_log';
DELETE FROM retention.policy WHERE name = 'retention_log';
