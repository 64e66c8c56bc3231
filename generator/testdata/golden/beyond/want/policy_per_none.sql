-- as owner
DELETE FROM retention.policy WHERE name = 'per_none';
INSERT INTO retention.policy
    (name, description, table_name, partitions, hash, definition, owns, grants, passes, prepares, scope,
     window_own, window_at_least, window_at_most, restores, deletes, unguarded, related,
     changes, statement_deletes, reach, writes, sets, facts, steps,
     batch_rows, batch_time_ms, lock_timeout_ms,
     budget_rows, budget_time, breaker_rows, breaker_fraction, busy)
VALUES
    ('per_none', '', 'app.note', false, '48a884a0d6d5', 'Deletes rows of app.note past the first 20.',
     ARRAY['ROUTINE retention.per_none_rows(retention.slice)', 'ROUTINE retention.per_none_groups(retention.slice)', 'ROUTINE retention.per_none_beyond(retention.slice)', 'ROUTINE retention.per_none_take(retention.slice)']::text[],
     '{"ROUTINE retention.per_none_rows(retention.slice)":["retention_operator","retention_viewer"]}',
     '[{"ranked":true,"groups":"per_none_groups","beyond":"per_none_beyond","indexed":true}]', false, ARRAY[]::text[],
     NULL, NULL, NULL, NULL, ARRAY['app.note']::text[], ARRAY[]::text[], ARRAY[]::text[],
     ARRAY['app.note']::text[], ARRAY[]::text[], ARRAY[]::text[],
     ARRAY['DELETE app.note']::text[], '[]',
     jsonb_build_object(),
     jsonb_build_array(jsonb_build_object('step', 1, 'verb', 'delete', 'table', 'app.note')),
     50000, 50, 100, NULL, '10m0s', 5000000, 0.5, 1);
SELECT retention._prove('per_none');

-- to drop it
SELECT retention._drop_policy('per_none');
