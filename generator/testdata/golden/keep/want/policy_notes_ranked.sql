-- as owner
DELETE FROM retention.policy WHERE name = 'notes_ranked';
INSERT INTO retention.policy
    (name, table_name, hash, definition, owns, grants, passes, deletes, changes, writes, steps, batch_rows,
     batch_time_ms, lock_timeout_ms, budget_time, breaker_rows, breaker_fraction)
VALUES
    ('notes_ranked', 'app.note', '97eb07d7deb4',
     'Deletes rows of app.note past the first 10 per owner_id.; keeps starred: starred; keeps tagged: tag IS NOT NULL',
     ARRAY['ROUTINE retention.notes_ranked_rows(retention.slice)', 'ROUTINE retention.notes_ranked_groups(retention.slice)', 'ROUTINE retention.notes_ranked_beyond(retention.slice)', 'ROUTINE retention.notes_ranked_take(retention.slice)']::text[],
     '{"ROUTINE retention.notes_ranked_rows(retention.slice)":["retention_operator","retention_viewer"]}',
     '[{"ranked":true,"groups":"notes_ranked_groups","beyond":"notes_ranked_beyond"}]', ARRAY['app.note']::text[],
     ARRAY['app.note']::text[], ARRAY['DELETE app.note']::text[],
     jsonb_build_array(jsonb_build_object('step', 1, 'verb', 'delete', 'table', 'app.note')), 50000, 50, 100, '10m0s',
     5000000, 0.5);
SELECT retention._prove('notes_ranked');

-- to drop it
SELECT retention._drop_policy('notes_ranked');
