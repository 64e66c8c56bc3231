-- as owner
DELETE FROM retention.policy WHERE name = 'per_expression';
INSERT INTO retention.policy
    (name, table_name, hash, definition, owns, grants, passes, deletes, changes, writes, steps, batch_rows,
     batch_time_ms, lock_timeout_ms, budget_time, breaker_rows, breaker_fraction)
VALUES
    ('per_expression', 'app.note', '1972bf13aad5',
     'Deletes rows of app.note past the first 1 per owner_id, date_trunc(''day'', made_at).',
     ARRAY['ROUTINE retention.per_expression_rows(retention.slice)', 'ROUTINE retention.per_expression_groups(retention.slice)', 'ROUTINE retention.per_expression_beyond(retention.slice)', 'ROUTINE retention.per_expression_take(retention.slice)']::text[],
     '{"ROUTINE retention.per_expression_rows(retention.slice)":["retention_operator","retention_viewer"]}',
     '[{"ranked":true,"groups":"per_expression_groups","beyond":"per_expression_beyond"}]', ARRAY['app.note']::text[],
     ARRAY['app.note']::text[], ARRAY['DELETE app.note']::text[],
     jsonb_build_array(jsonb_build_object('step', 1, 'verb', 'delete', 'table', 'app.note')), 50000, 50, 100, '10m0s',
     5000000, 0.5);
SELECT retention._prove('per_expression');

-- to drop it
SELECT retention._drop_policy('per_expression');
