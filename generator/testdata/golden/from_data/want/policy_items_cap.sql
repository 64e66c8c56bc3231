-- as owner
DELETE FROM retention.policy WHERE name = 'items_cap';
INSERT INTO retention.policy
    (name, description, table_name, partitions, hash, definition, owns, grants, passes, prepares, scope,
     window_own, window_at_least, window_at_most, restores, deletes, unguarded, related,
     changes, statement_deletes, reach, writes, sets, facts, steps,
     batch_rows, batch_time_ms, lock_timeout_ms,
     budget_rows, budget_time, breaker_rows, breaker_fraction, busy)
VALUES
    ('items_cap', '', 'app.note', false, '70b651c8b88b', 'where o.enabled; Deletes rows of app.note past the first o.days per owner_id.',
     ARRAY['ROUTINE retention.items_cap_rows(retention.slice)', 'ROUTINE retention.items_cap_groups(retention.slice)', 'ROUTINE retention.items_cap_beyond(retention.slice)', 'ROUTINE retention.items_cap_take(retention.slice)']::text[],
     '{"ROUTINE retention.items_cap_rows(retention.slice)":["retention_operator","retention_viewer"]}',
     '[{"ranked":true,"groups":"items_cap_groups","beyond":"items_cap_beyond"}]', false, ARRAY[]::text[],
     NULL, NULL, NULL, NULL, ARRAY['app.note']::text[], ARRAY[]::text[], ARRAY[]::text[],
     ARRAY['app.note']::text[], ARRAY[]::text[], ARRAY[]::text[],
     ARRAY['DELETE app.note']::text[], '[]',
     jsonb_build_object(),
     jsonb_build_array(jsonb_build_object('step', 1, 'verb', 'delete', 'table', 'app.note', 'from', 'FROM app.note t LEFT JOIN app.owner o ON (o.id = t.owner_id)')),
     50000, 50, 100, NULL, '10m0s', 5000000, 0.5, 1);
SELECT retention._prove('items_cap');

-- to drop it
SELECT retention._drop_policy('items_cap');
