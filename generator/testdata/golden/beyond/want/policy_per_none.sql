-- as owner
DELETE FROM retention.policy WHERE name = 'per_none';
INSERT INTO retention.policy
    (name, description, table_name, partitions, hash, definition, owns, passes, prepares, scope,
     window_own, window_at_least, window_at_most, restores, deletes, unguarded, related,
     changes, statement_deletes, reach, writes, sets, facts,
     batch_rows, batch_time_ms, lock_timeout_ms,
     budget_rows, budget_time, breaker_rows, breaker_fraction, busy, built_in)
VALUES
    ('per_none', '', 'app.note', false, '22b2c582b143', 'Deletes rows of app.note past the first 20.',
     ARRAY['ROUTINE retention.per_none_rows(retention.slice)', 'ROUTINE retention.per_none_groups(retention.slice)', 'ROUTINE retention.per_none_beyond(retention.slice)', 'ROUTINE retention.per_none_take(retention.slice)', 'ROUTINE retention.per_none_preview(timestamp with time zone, bigint, jsonb, interval)']::text[],
     '[{"ranked":true,"groups":"per_none_groups","beyond":"per_none_beyond","indexed":true}]', false, ARRAY[]::text[],
     NULL, NULL, NULL, false, ARRAY['app.note']::text[], ARRAY[]::text[], ARRAY[]::text[],
     ARRAY['app.note']::text[], ARRAY[]::text[], ARRAY[]::text[],
     ARRAY['DELETE app.note']::text[], '[]',
     jsonb_build_object(),
     50000, 50, 100, NULL, '10m0s', 5000000, 0.5, 1, false);
SELECT retention._prove('per_none');

-- to drop it
SELECT retention._drop_policy('per_none');
