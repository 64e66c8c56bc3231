-- as owner
DELETE FROM retention.policy WHERE name = 'items';
INSERT INTO retention.policy
    (name, table_name, hash, definition, owns, grants, passes, deletes, related, changes, reach, writes, facts, steps,
     batch_rows, batch_time_ms, lock_timeout_ms, budget_time, breaker_rows, breaker_fraction)
VALUES
    ('items', 'app.item', '1f743f5f9661', 'Deletes rows of app.item whose at is older than 90 days.',
     ARRAY['ROUTINE retention.items_rows(retention.slice)', 'ROUTINE retention.items_take(retention.slice)']::text[],
     '{"ROUTINE retention.items_rows(retention.slice)":["retention_operator","retention_viewer"]}',
     '[{"cursor":[["t.at","timestamptz"],["t.id","bigint"]],"bound":"t.at < retention._cutoff(($1).as_of, 0, 90, ''00:00:00'', ''UTC'')"}]',
     ARRAY['app.loan', 'app.item', 'app.blob']::text[], ARRAY['app.loan', 'app.blob']::text[],
     ARRAY['app.item', 'app.loan', 'app.blob']::text[],
     ARRAY['app.item', 'app.tag_link', 'app.tag_vote', 'app.mention', 'app.copy']::text[],
     ARRAY['DELETE app.blob', 'DELETE app.item', 'DELETE app.loan']::text[],
     jsonb_build_object('clock', 't.at', 'value', 't.at', 'from', 'FROM app.item t', 'too_far', 't.at > (($1).as_of + interval ''1 years'')', 'in_time', 't.at <= (($1).as_of + interval ''1 years'')'),
     jsonb_build_array(jsonb_build_object('step', 0, 'verb', 'note', 'table', 'app.item', 'notes', jsonb_build_array('step 2 writes other rows of the policy''s own table: later batches may judge otherwise')),
         jsonb_build_object('step', 1, 'verb', 'delete', 'table', 'app.loan', 'related', 'app.loan', 'as', 'l', 'on', 'l.note_id = t.id AND l.used_at < t.at'),
         jsonb_build_object('step', 2, 'verb', 'delete', 'table', 'app.item', 'where', 'NOT EXISTS (SELECT FROM "rest of app.loan" l WHERE l.note_id = t.id)'),
         jsonb_build_object('step', 3, 'verb', 'delete', 'table', 'app.blob', 'related', 'app.blob', 'as', 'b', 'on', 'b.id = t.blob_id AND NOT EXISTS (SELECT FROM "rest of app.item" x WHERE x.blob_id = b.id) AND NOT ''kept'' = ANY (t.labels)', 'notes', jsonb_build_array('it reads table "app.item", which step 2 writes', 'it reads table "app.item", which step 2 writes'))),
     50000, 50, 100, '10m0s', 5000000, 0.5);
SELECT retention._prove('items');

-- to drop it
SELECT retention._drop_policy('items');
