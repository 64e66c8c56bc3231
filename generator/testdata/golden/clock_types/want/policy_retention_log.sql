-- as owner
DELETE FROM retention.policy WHERE name = 'retention_log';
INSERT INTO retention.policy
    (name, description, table_name, partitions, hash, definition, owns, passes, prepares, scope,
     window_own, window_at_least, window_at_most, restores, deletes, unguarded, related,
     changes, statement_deletes, reach, writes, sets, facts,
     batch_rows, batch_time_ms, lock_timeout_ms,
     budget_rows, budget_time, breaker_rows, breaker_fraction, busy, built_in)
VALUES
    ('retention_log', 'built in: keeps the run log and cron.job_run_details short', 'retention.run', false, 'af059aece4f1', 'runs that ended longer ago than install.log_window, the newest of each policy excepted',
     ARRAY[]::text[],
     '[{"locked":"retention_log_batch"}]', false, ARRAY[]::text[],
     NULL, NULL, NULL, NULL, ARRAY['retention.run', 'retention.batch']::text[], ARRAY[]::text[], ARRAY['retention.batch']::text[],
     ARRAY['retention.run', 'retention.batch']::text[], ARRAY[]::text[], ARRAY[]::text[],
     ARRAY[]::text[], '[]',
     jsonb_build_object('clock', 't.ended_at'),
     1000, NULL, 100, NULL, '1m', NULL, NULL, 1, true);

-- to drop it
SELECT retention._drop_policy('retention_log');
