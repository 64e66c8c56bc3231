-- as owner
DELETE FROM retention.policy WHERE name = 'items_cap';
INSERT INTO retention.policy
    (name, description, table_name, partitions, hash, definition, owns, passes, prepares, scope,
     window_own, window_at_least, window_at_most, restores, deletes, unguarded, related,
     changes, statement_deletes, reach, writes, sets, facts,
     batch_rows, batch_time_ms, lock_timeout_ms,
     budget_rows, budget_time, breaker_rows, breaker_fraction, busy, built_in)
VALUES
    ('items_cap', '', 'app.note', false, '86a94862fa86', 'where o.enabled; Deletes rows of app.note past the first o.days per owner_id.',
     ARRAY['ROUTINE retention.items_cap_rows(retention.slice)', 'ROUTINE retention.items_cap_groups(retention.slice)', 'ROUTINE retention.items_cap_beyond(retention.slice)', 'ROUTINE retention.items_cap_take(retention.slice)', 'ROUTINE retention.items_cap_preview(timestamp with time zone, bigint, jsonb, interval)']::text[],
     '[{"ranked":true,"groups":"items_cap_groups","beyond":"items_cap_beyond"}]', false, ARRAY[]::text[],
     NULL, NULL, NULL, false, ARRAY['app.note']::text[], ARRAY[]::text[], ARRAY[]::text[],
     ARRAY['app.note']::text[], ARRAY[]::text[], ARRAY[]::text[],
     ARRAY['DELETE app.note']::text[], '[]',
     jsonb_build_object(),
     50000, 50, 100, NULL, '10m0s', 5000000, 0.5, 1, false);
SELECT retention._prove('items_cap');

-- to drop it
SELECT retention._drop_policy('items_cap');
