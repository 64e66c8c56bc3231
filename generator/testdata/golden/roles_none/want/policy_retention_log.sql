-- as owner
INSERT INTO retention.policy
    (name, description, table_name, partitions, hash, definition, owns, passes, prepares, scope,
     window_own, window_at_least, window_at_most, restores, deletes, unguarded, related,
     changes, statement_deletes, reach, known_keys, writes, sets, facts,
     batch_rows, batch_time_ms, lock_timeout_ms,
     budget_rows, budget_time, breaker_rows, breaker_fraction, busy, built_in)
VALUES
    ('retention_log', 'built in: keeps the run log and cron.job_run_details short', 'retention.run', false, '3e2df1880c96', 'runs that ended longer ago than install.log_window, the newest of each policy excepted',
     ARRAY[]::text[],
     '[{"locked":"retention_log_batch"}]', false, ARRAY[]::text[],
     NULL, NULL, NULL, false, ARRAY['retention.run', 'retention.batch']::text[], ARRAY[]::text[], ARRAY['retention.batch']::text[], ARRAY['retention.run', 'retention.batch']::text[], ARRAY[]::text[], ARRAY[]::text[], ARRAY[]::text[], ARRAY[]::text[], '[]', jsonb_build_object('clock', 't.ended_at'),
     1000, NULL, 100, NULL, '1m', NULL, NULL, 1, true)
ON CONFLICT (name) DO UPDATE SET
    description = excluded.description, table_name = excluded.table_name,
    partitions = excluded.partitions, hash = excluded.hash,
    definition = excluded.definition, owns = excluded.owns,
    passes = excluded.passes, report = false, prepares = excluded.prepares,
    scope = excluded.scope, window_own = excluded.window_own, window_at_least = excluded.window_at_least,
    window_at_most = excluded.window_at_most, restores = excluded.restores, deletes = excluded.deletes,
    unguarded = excluded.unguarded, related = excluded.related, changes = excluded.changes,
    statement_deletes = excluded.statement_deletes, reach = excluded.reach,
    known_keys = excluded.known_keys, writes = excluded.writes, sets = excluded.sets, facts = excluded.facts,
    batch_rows = excluded.batch_rows, batch_time_ms = excluded.batch_time_ms,
    lock_timeout_ms = excluded.lock_timeout_ms,
    budget_rows = excluded.budget_rows, budget_time = excluded.budget_time,
    breaker_rows = excluded.breaker_rows, breaker_fraction = excluded.breaker_fraction,
    busy = excluded.busy, built_in = excluded.built_in, installed_at = excluded.installed_at;

-- to drop it
SELECT retention._drop_policy('retention_log');
