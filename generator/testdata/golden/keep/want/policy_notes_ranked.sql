-- as owner
DELETE FROM retention.policy WHERE name = 'notes_ranked';
INSERT INTO retention.policy
    (name, description, table_name, partitions, hash, definition, owns, grants, passes, prepares, scope,
     window_own, window_at_least, window_at_most, restores, deletes, unguarded, related,
     changes, statement_deletes, reach, writes, sets, facts, steps,
     batch_rows, batch_time_ms, lock_timeout_ms,
     budget_rows, budget_time, breaker_rows, breaker_fraction, busy)
VALUES
    ('notes_ranked', '', 'app.note', false, '9836687ce482', 'Deletes rows of app.note past the first 10 per owner_id.; keeps starred: starred; keeps tagged: tag IS NOT NULL',
     ARRAY['ROUTINE retention.notes_ranked_rows(retention.slice)', 'ROUTINE retention.notes_ranked_groups(retention.slice)', 'ROUTINE retention.notes_ranked_beyond(retention.slice)', 'ROUTINE retention.notes_ranked_take(retention.slice)']::text[],
     '{"ROUTINE retention.notes_ranked_rows(retention.slice)":["retention_operator","retention_viewer"]}',
     '[{"ranked":true,"groups":"notes_ranked_groups","beyond":"notes_ranked_beyond"}]', false, ARRAY[]::text[],
     NULL, NULL, NULL, NULL, ARRAY['app.note']::text[], ARRAY[]::text[], ARRAY[]::text[],
     ARRAY['app.note']::text[], ARRAY[]::text[], ARRAY[]::text[],
     ARRAY['DELETE app.note']::text[], '[]',
     jsonb_build_object(),
     jsonb_build_array(jsonb_build_object('step', 1, 'verb', 'delete', 'table', 'app.note')),
     50000, 50, 100, NULL, '10m0s', 5000000, 0.5, 1);
SELECT retention._prove('notes_ranked');

-- to drop it
SELECT retention._drop_policy('notes_ranked');
