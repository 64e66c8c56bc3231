-- as owner
DELETE FROM retention.policy WHERE name = 'per_none';
INSERT INTO retention.policy
    (name, description, table_name, partitions, hash, definition, owns, passes, prepares, scope,
     window_own, window_at_least, window_at_most, restores, deletes, unguarded, related,
     changes, statement_deletes, reach, writes, sets, facts,
     batch_rows, batch_time_ms, lock_timeout_ms,
     budget_rows, budget_time, breaker_rows, breaker_fraction, busy, built_in)
VALUES
    ('per_none', '', 'app.note', false, 'c27f606bb14e', 'Deletes rows of app.note past the first 20.',
     ARRAY['ROUTINE retention.per_none_groups(bigint, integer)', 'ROUTINE retention.per_none_batch(retention.batch_input)', 'ROUTINE retention.per_none_rows(retention.slice)', 'ROUTINE retention.per_none_preview(timestamp with time zone, bigint, jsonb, interval)', 'ROUTINE retention.per_none_plan()']::text[],
     '[{"locked":"per_none_batch","groups":"per_none_groups"}]', false, ARRAY[]::text[],
     NULL, NULL, NULL, false, ARRAY['app.note']::text[], ARRAY[]::text[], ARRAY[]::text[],
     ARRAY['app.note']::text[], ARRAY[]::text[], ARRAY[]::text[],
     ARRAY['DELETE app.note']::text[], '[]',
     jsonb_build_object(),
     50000, 50, 100, NULL, '10m0s', 5000000, 0.5, 1, false);
SELECT retention._prove('per_none');

-- to drop it
SELECT retention._drop_policy('per_none');
