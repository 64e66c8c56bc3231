-- as owner
DELETE FROM retention.policy WHERE name = 'by_rank';
INSERT INTO retention.policy
    (name, description, table_name, partitions, hash, definition, owns, grants, passes, prepares, scope,
     window_own, window_at_least, window_at_most, restores, deletes, unguarded, related,
     changes, statement_deletes, reach, writes, sets, facts, steps,
     batch_rows, batch_time_ms, lock_timeout_ms,
     budget_rows, budget_time, breaker_rows, breaker_fraction, busy)
VALUES
    ('by_rank', '', 'app.not_served', false, 'b0e99042ffc5', 'Deletes rows of app.not_served past the first 3 per owner_id.',
     ARRAY['ROUTINE retention.by_rank_rows(retention.slice)', 'ROUTINE retention.by_rank_groups(retention.slice)', 'ROUTINE retention.by_rank_beyond(retention.slice)', 'ROUTINE retention.by_rank_take(retention.slice)']::text[],
     '{"ROUTINE retention.by_rank_rows(retention.slice)":["retention_operator","retention_viewer"]}',
     '[{"ranked":true,"groups":"by_rank_groups","beyond":"by_rank_beyond"}]', false, ARRAY[]::text[],
     NULL, NULL, NULL, NULL, ARRAY['app.not_served']::text[], ARRAY[]::text[], ARRAY[]::text[],
     ARRAY['app.not_served']::text[], ARRAY[]::text[], ARRAY[]::text[],
     ARRAY['DELETE app.not_served']::text[], '[]',
     jsonb_build_object(),
     jsonb_build_array(jsonb_build_object('step', 1, 'verb', 'delete', 'table', 'app.not_served')),
     50000, 50, 100, NULL, '10m0s', 5000000, 0.5, 1);
SELECT retention._prove('by_rank');

-- to drop it
SELECT retention._drop_policy('by_rank');
