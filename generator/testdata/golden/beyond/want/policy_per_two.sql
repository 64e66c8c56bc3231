-- as owner
DELETE FROM retention.policy WHERE name = 'per_two';
INSERT INTO retention.policy
    (name, table_name, hash, definition, owns, grants, passes, deletes, changes, writes, steps, batch_rows,
     batch_time_ms, lock_timeout_ms, budget_time, breaker_rows, breaker_fraction)
VALUES
    ('per_two', 'app.note', '512469bb88f0',
     'where kind = ''draft''; Deletes rows of app.note past the first 5 per owner_id, kind.',
     ARRAY['ROUTINE retention.per_two_rows(retention.slice)', 'ROUTINE retention.per_two_groups(retention.slice)', 'ROUTINE retention.per_two_beyond(retention.slice)', 'ROUTINE retention.per_two_take(retention.slice)']::text[],
     '{"ROUTINE retention.per_two_rows(retention.slice)":["retention_operator","retention_viewer"]}',
     '[{"range":true,"ranked":true,"groups":"per_two_groups","beyond":"per_two_beyond","indexed":true}]',
     ARRAY['app.note']::text[], ARRAY['app.note']::text[], ARRAY['DELETE app.note']::text[],
     jsonb_build_array(jsonb_build_object('step', 1, 'verb', 'delete', 'table', 'app.note')), 50000, 50, 100, '10m0s',
     5000000, 0.5);
SELECT retention._prove('per_two');

-- to drop it
SELECT retention._drop_policy('per_two');
