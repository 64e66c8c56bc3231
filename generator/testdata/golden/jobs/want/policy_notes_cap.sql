-- as owner
DELETE FROM retention.policy WHERE name = 'notes_cap';
INSERT INTO retention.policy
    (name, table_name, hash, definition, owns, grants, passes, deletes, changes, writes, steps, batch_rows,
     batch_time_ms, lock_timeout_ms, budget_time, breaker_rows, breaker_fraction)
VALUES
    ('notes_cap', 'app.note', '6f00a5449e55', 'Deletes rows of app.note past the first 1000.',
     ARRAY['ROUTINE retention.notes_cap_rows(retention.slice)', 'ROUTINE retention.notes_cap_groups(retention.slice)', 'ROUTINE retention.notes_cap_beyond(retention.slice)', 'ROUTINE retention.notes_cap_take(retention.slice)']::text[],
     '{"ROUTINE retention.notes_cap_rows(retention.slice)":["retention_operator","retention_viewer"]}',
     '[{"ranked":true,"groups":"notes_cap_groups","beyond":"notes_cap_beyond","indexed":true}]',
     ARRAY['app.note']::text[], ARRAY['app.note']::text[], ARRAY['DELETE app.note']::text[],
     jsonb_build_array(jsonb_build_object('step', 1, 'verb', 'delete', 'table', 'app.note')), 50000, 50, 100, '10m0s',
     5000000, 0.5);
SELECT retention._prove('notes_cap');

-- to drop it
SELECT retention._drop_policy('notes_cap');
