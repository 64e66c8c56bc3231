-- as owner
DELETE FROM retention.policy WHERE name = 'all_of_them';
INSERT INTO retention.policy
    (name, table_name, hash, definition, owns, grants, passes, deletes, changes, writes, steps, batch_rows,
     batch_time_ms, lock_timeout_ms, budget_time, breaker_rows, breaker_fraction)
VALUES
    ('all_of_them', 'app.note', '3ec83dccf700', 'where true; Deletes rows of app.note.',
     ARRAY['ROUTINE retention.all_of_them_rows(retention.slice)', 'ROUTINE retention.all_of_them_take(retention.slice)']::text[],
     '{"ROUTINE retention.all_of_them_rows(retention.slice)":["retention_operator","retention_viewer"]}',
     '[{"cursor":[["t.id","bigint"]],"range":true,"bound":"true"}]', ARRAY['app.note']::text[],
     ARRAY['app.note']::text[], ARRAY['DELETE app.note']::text[],
     jsonb_build_array(jsonb_build_object('step', 1, 'verb', 'delete', 'table', 'app.note')), 50000, 50, 100, '10m0s',
     5000000, 0.5);
SELECT retention._prove('all_of_them');

-- to drop it
SELECT retention._drop_policy('all_of_them');
