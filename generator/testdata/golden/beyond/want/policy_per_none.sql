-- as owner
DELETE FROM retention.policy WHERE name = 'per_none';
INSERT INTO retention.policy
    (name, table_name, hash, definition, owns, grants, passes, deletes, changes, writes, steps, batch_rows,
     batch_time_ms, lock_timeout_ms, budget_time, breaker_rows, breaker_fraction)
VALUES
    ('per_none', 'app.note', 'd0dd0c9fd4fb', 'Deletes rows of app.note past the first 20.',
     ARRAY['ROUTINE retention.per_none_rows(retention.slice)', 'ROUTINE retention.per_none_groups(retention.slice)', 'ROUTINE retention.per_none_beyond(retention.slice)', 'ROUTINE retention.per_none_take(retention.slice)']::text[],
     '{"ROUTINE retention.per_none_rows(retention.slice)":["retention_operator","retention_viewer"]}',
     '[{"ranked":true,"groups":"per_none_groups","beyond":"per_none_beyond","indexed":true}]',
     ARRAY['app.note']::text[], ARRAY['app.note']::text[], ARRAY['DELETE app.note']::text[],
     jsonb_build_array(jsonb_build_object('step', 1, 'verb', 'delete', 'table', 'app.note')), 50000, 50, 100, '10m0s',
     5000000, 0.5);
SELECT retention._prove('per_none');

-- to drop it
SELECT retention._drop_policy('per_none');
