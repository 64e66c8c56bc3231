-- as owner
DELETE FROM retention.policy WHERE name = 'notes_any';
INSERT INTO retention.policy
    (name, table_name, hash, definition, owns, grants, passes, deletes, changes, writes, steps, batch_rows,
     batch_time_ms, lock_timeout_ms, budget_time, breaker_rows, breaker_fraction)
VALUES
    ('notes_any', 'app.note', 'c8e425e1471d',
     'where kind <> ''pinned''; Deletes rows of app.note past the first 50 per owner_id.; Deletes rows of app.note whose made_at is older than 1 year.; Deletes rows of app.note whose expires_at is past by 7 days.; Deletes rows of app.note whose clock is NULL.',
     ARRAY['ROUTINE retention.notes_any_rows(retention.slice)', 'ROUTINE retention.notes_any_groups(retention.slice)', 'ROUTINE retention.notes_any_beyond(retention.slice)', 'ROUTINE retention.notes_any_take(retention.slice)']::text[],
     '{"ROUTINE retention.notes_any_rows(retention.slice)":["retention_operator","retention_viewer"]}',
     '[{"ranked":true,"groups":"notes_any_groups","beyond":"notes_any_beyond","indexed":true},{"cursor":[["t.made_at","timestamptz"],["t.id","bigint"]],"bound":"t.made_at < retention._cutoff(($1).as_of, 12, 0, ''00:00:00'', ''UTC'')","filtered":true},{"cursor":[["t.expires_at","timestamptz"],["t.id","bigint"]],"bound":"t.expires_at < retention._cutoff(($1).as_of, 0, 7, ''00:00:00'', ''UTC'')","filtered":true},{"cursor":[["t.id","bigint"]],"bound":"true"}]',
     ARRAY['app.note']::text[], ARRAY['app.note']::text[], ARRAY['DELETE app.note']::text[],
     jsonb_build_array(jsonb_build_object('step', 1, 'verb', 'delete', 'table', 'app.note')), 50000, 50, 100, '10m0s',
     5000000, 0.5);
SELECT retention._prove('notes_any');

-- to drop it
SELECT retention._drop_policy('notes_any');
