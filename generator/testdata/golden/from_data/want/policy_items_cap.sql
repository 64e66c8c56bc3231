-- as owner
DELETE FROM retention.policy WHERE name = 'items_cap';
INSERT INTO retention.policy
    (name, table_name, hash, definition, owns, grants, passes, deletes, changes, writes, steps, batch_rows,
     batch_time_ms, lock_timeout_ms, budget_time, breaker_rows, breaker_fraction)
VALUES
    ('items_cap', 'app.note', '2d93dfe17c8a',
     'where o.enabled; Deletes rows of app.note past the first o.days per owner_id.',
     ARRAY['ROUTINE retention.items_cap_rows(retention.slice)', 'ROUTINE retention.items_cap_groups(retention.slice)', 'ROUTINE retention.items_cap_beyond(retention.slice)', 'ROUTINE retention.items_cap_take(retention.slice)']::text[],
     '{"ROUTINE retention.items_cap_rows(retention.slice)":["retention_operator","retention_viewer"]}',
     '[{"ranked":true,"groups":"items_cap_groups","beyond":"items_cap_beyond"}]', ARRAY['app.note']::text[],
     ARRAY['app.note']::text[], ARRAY['DELETE app.note']::text[],
     jsonb_build_array(jsonb_build_object('step', 1, 'verb', 'delete', 'table', 'app.note', 'from', 'FROM app.note t LEFT JOIN app.owner o ON (o.id = t.owner_id)')),
     50000, 50, 100, '10m0s', 5000000, 0.5);
SELECT retention._prove('items_cap');

-- to drop it
SELECT retention._drop_policy('items_cap');
