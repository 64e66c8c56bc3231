-- as owner
DELETE FROM retention.policy WHERE name = 'all_of_them';
INSERT INTO retention.policy
    (name, description, table_name, partitions, hash, definition, owns, grants, passes, prepares, scope,
     window_own, window_at_least, window_at_most, restores, deletes, unguarded, related,
     changes, statement_deletes, reach, writes, sets, facts, steps,
     batch_rows, batch_time_ms, lock_timeout_ms,
     budget_rows, budget_time, breaker_rows, breaker_fraction, busy)
VALUES
    ('all_of_them', '', 'app.note', false, 'bcc29b71fa7c', 'where true; Deletes rows of app.note.',
     ARRAY['ROUTINE retention.all_of_them_rows(retention.slice)', 'ROUTINE retention.all_of_them_take(retention.slice)']::text[],
     '{"ROUTINE retention.all_of_them_rows(retention.slice)":["retention_operator","retention_viewer"]}',
     '[{"cursor":[["t.id","bigint"]],"range":true}]', false, ARRAY[]::text[],
     NULL, NULL, NULL, NULL, ARRAY['app.note']::text[], ARRAY[]::text[], ARRAY[]::text[],
     ARRAY['app.note']::text[], ARRAY[]::text[], ARRAY[]::text[],
     ARRAY['DELETE app.note']::text[], '[]',
     jsonb_build_object(),
     jsonb_build_array(jsonb_build_object('step', 1, 'verb', 'delete', 'table', 'app.note')),
     50000, 50, 100, NULL, '10m0s', 5000000, 0.5, 1);
SELECT retention._prove('all_of_them');

-- to drop it
SELECT retention._drop_policy('all_of_them');
