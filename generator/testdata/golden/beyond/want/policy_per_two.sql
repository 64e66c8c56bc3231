-- as owner
DELETE FROM retention.policy WHERE name = 'per_two';
INSERT INTO retention.policy
    (name, description, table_name, partitions, hash, definition, owns, passes, prepares, scope,
     window_own, window_at_least, window_at_most, restores, deletes, unguarded, related,
     changes, statement_deletes, reach, writes, sets, facts,
     batch_rows, batch_time_ms, lock_timeout_ms,
     budget_rows, budget_time, breaker_rows, breaker_fraction, busy, built_in)
VALUES
    ('per_two', '', 'app.note', false, '9062f1d5f81b', 'where kind = ''draft''; Deletes rows of app.note past the first 5 per owner_id, kind.',
     ARRAY['ROUTINE retention.per_two_rows(retention.slice)', 'ROUTINE retention.per_two_groups(retention.slice)', 'ROUTINE retention.per_two_beyond(retention.slice)', 'ROUTINE retention.per_two_take(retention.slice)', 'ROUTINE retention.per_two_preview(timestamp with time zone, bigint, jsonb, interval)']::text[],
     '[{"ranked":true,"groups":"per_two_groups","beyond":"per_two_beyond","indexed":true}]', false, ARRAY[]::text[],
     NULL, NULL, NULL, false, ARRAY['app.note']::text[], ARRAY[]::text[], ARRAY[]::text[],
     ARRAY['app.note']::text[], ARRAY[]::text[], ARRAY[]::text[],
     ARRAY['DELETE app.note']::text[], '[]',
     jsonb_build_object(),
     50000, 50, 100, NULL, '10m0s', 5000000, 0.5, 1, false);
SELECT retention._prove('per_two');

-- to drop it
SELECT retention._drop_policy('per_two');
