-- as owner
DELETE FROM retention.policy WHERE name = 'events_cap';
INSERT INTO retention.policy
    (name, table_name, hash, definition, owns, grants, passes, deletes, changes, writes, steps, batch_rows,
     batch_time_ms, lock_timeout_ms, budget_time, breaker_rows, breaker_fraction)
VALUES
    ('events_cap', 'app.event', 'f21eec952bee', 'Deletes rows of app.event past the first 1000000.',
     ARRAY['ROUTINE retention.events_cap_rows(retention.slice)', 'ROUTINE retention.events_cap_groups(retention.slice)', 'ROUTINE retention.events_cap_beyond(retention.slice)', 'ROUTINE retention.events_cap_take(retention.slice)']::text[],
     '{"ROUTINE retention.events_cap_rows(retention.slice)":["retention_operator","retention_viewer"]}',
     '[{"ranked":true,"groups":"events_cap_groups","beyond":"events_cap_beyond","indexed":true}]',
     ARRAY['app.event']::text[], ARRAY['app.event']::text[], ARRAY['DELETE app.event']::text[],
     jsonb_build_array(jsonb_build_object('step', 1, 'verb', 'delete', 'table', 'app.event')), 50000, 50, 100,
     '10m0s', 5000000, 0.5);
SELECT retention._prove('events_cap');

-- to drop it
SELECT retention._drop_policy('events_cap');
