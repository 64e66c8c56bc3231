-- as owner
DELETE FROM retention.policy WHERE name = 'among';
INSERT INTO retention.policy
    (name, table_name, hash, definition, owns, grants, passes, deletes, changes, writes, steps, batch_rows,
     batch_time_ms, lock_timeout_ms, budget_time, breaker_rows, breaker_fraction)
VALUES
    ('among', 'app.note', 'a0d8aa9d515a', 'Deletes rows of app.note past the first 10 per owner_id.',
     ARRAY['ROUTINE retention.among_rows(retention.slice)', 'ROUTINE retention.among_groups(retention.slice)', 'ROUTINE retention.among_beyond(retention.slice)', 'ROUTINE retention.among_take(retention.slice)']::text[],
     '{"ROUTINE retention.among_rows(retention.slice)":["retention_operator","retention_viewer"]}',
     '[{"range":true,"ranked":true,"groups":"among_groups","beyond":"among_beyond","indexed":true}]',
     ARRAY['app.note']::text[], ARRAY['app.note']::text[], ARRAY['DELETE app.note']::text[],
     jsonb_build_array(jsonb_build_object('step', 1, 'verb', 'delete', 'table', 'app.note')), 50000, 50, 100, '10m0s',
     5000000, 0.5);
SELECT retention._prove('among');

-- to drop it
SELECT retention._drop_policy('among');
