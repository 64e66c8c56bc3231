-- as owner
DELETE FROM retention.policy WHERE name = 'per_one';
INSERT INTO retention.policy
    (name, description, table_name, partitions, hash, definition, owns, grants, passes, prepares, scope,
     window_own, window_at_least, window_at_most, restores, deletes, unguarded, related,
     changes, statement_deletes, reach, writes, sets, facts, steps,
     batch_rows, batch_time_ms, lock_timeout_ms,
     budget_rows, budget_time, breaker_rows, breaker_fraction, busy)
VALUES
    ('per_one', '', 'app.note', false, '539afbda4bf1', 'Deletes rows of app.note past the first 1000 per owner_id.',
     ARRAY['ROUTINE retention.per_one_rows(retention.slice)', 'ROUTINE retention.per_one_groups(retention.slice)', 'ROUTINE retention.per_one_beyond(retention.slice)', 'ROUTINE retention.per_one_take(retention.slice)']::text[],
     '{"ROUTINE retention.per_one_rows(retention.slice)":["retention_operator","retention_viewer"]}',
     '[{"ranked":true,"groups":"per_one_groups","beyond":"per_one_beyond","indexed":true}]', false, ARRAY[]::text[],
     NULL, NULL, NULL, NULL, ARRAY['app.note']::text[], ARRAY[]::text[], ARRAY[]::text[],
     ARRAY['app.note']::text[], ARRAY[]::text[], ARRAY[]::text[],
     ARRAY['DELETE app.note']::text[], '[]',
     jsonb_build_object(),
     jsonb_build_array(jsonb_build_object('step', 1, 'verb', 'delete', 'table', 'app.note')),
     50000, 50, 100, NULL, '10m0s', 5000000, 0.5, 1);
SELECT retention._prove('per_one');

-- to drop it
SELECT retention._drop_policy('per_one');
