-- as owner
DELETE FROM retention.policy WHERE name = 'by_rank';
INSERT INTO retention.policy
    (name, table_name, hash, definition, owns, grants, passes, deletes, changes, writes, steps, batch_rows,
     batch_time_ms, lock_timeout_ms, budget_time, breaker_rows, breaker_fraction)
VALUES
    ('by_rank', 'app.served', '5d63e14eb1eb', 'Deletes rows of app.served past the first 3 per owner_id.',
     ARRAY['ROUTINE retention.by_rank_rows(retention.slice)', 'ROUTINE retention.by_rank_groups(retention.slice)', 'ROUTINE retention.by_rank_beyond(retention.slice)', 'ROUTINE retention.by_rank_take(retention.slice)']::text[],
     '{"ROUTINE retention.by_rank_rows(retention.slice)":["retention_operator","retention_viewer"]}',
     '[{"range":true,"ranked":true,"groups":"by_rank_groups","beyond":"by_rank_beyond","indexed":true}]',
     ARRAY['app.served']::text[], ARRAY['app.served']::text[], ARRAY['DELETE app.served']::text[],
     jsonb_build_array(jsonb_build_object('step', 1, 'verb', 'delete', 'table', 'app.served')), 50000, 50, 100,
     '10m0s', 5000000, 0.5);
SELECT retention._prove('by_rank');

-- to drop it
SELECT retention._drop_policy('by_rank');
