-- as owner
DELETE FROM retention.policy WHERE name = 'notes';
INSERT INTO retention.policy
    (name, table_name, hash, definition, owns, grants, passes, restores, deletes, related, changes, writes, facts,
     steps, batch_rows, batch_time_ms, lock_timeout_ms, budget_time, breaker_rows, breaker_fraction)
VALUES
    ('notes', 'app.note', 'f4f56c74a724', 'Deletes rows of app.note whose made_at is older than 7 days.',
     ARRAY['ROUTINE retention.notes_rows(retention.slice)', 'ROUTINE retention.notes_take(retention.slice)']::text[],
     '{"ROUTINE retention.notes_rows(retention.slice)":["retention_operator","retention_viewer"]}',
     '[{"cursor":[["t.made_at","timestamptz"],["t.id","bigint"]],"bound":"t.made_at < retention._cutoff(($1).as_of, 0, 7, ''00:00:00'', ''UTC'')"}]',
     jsonb_build_array(
              '{"table":"app.note","from":"app.old_note","run":"run_id","key":["id"],"columns":{"expires_at":"timestamp with time zone","id":"bigint","kind":"text","made_at":"timestamp with time zone","owner_id":"bigint","score":"double precision","seen_at":"timestamp with time zone","starred":"boolean","state":"text","tag":"text"}}'::jsonb,
              '{"table":"app.loan","from":"app.attic","run":"transfer_id","same":{"kind":"''loan''"},"document":"body","stays":true,"key":["id"],"columns":{"id":"bigint","note_id":"bigint","used_at":"timestamp with time zone"}}'::jsonb),
     ARRAY['app.loan', 'app.note']::text[], ARRAY['app.loan']::text[], ARRAY['app.note', 'app.loan']::text[],
     ARRAY['DELETE app.loan', 'DELETE app.note', 'INSERT app.attic', 'INSERT app.old_note']::text[],
     jsonb_build_object('clock', 't.made_at', 'value', 't.made_at', 'from', 'FROM app.note t', 'too_far', 't.made_at > (($1).as_of + interval ''1 years'')', 'in_time', 't.made_at <= (($1).as_of + interval ''1 years'')', 'archives', jsonb_build_object('app.attic', 'transfer_id', 'app.old_note', 'run_id')),
     jsonb_build_array(jsonb_build_object('step', 1, 'verb', 'archive', 'table', 'app.old_note', 'key', jsonb_build_array('id')),
         jsonb_build_object('step', 2, 'verb', 'archive', 'table', 'app.attic', 'related', 'app.loan', 'as', 'l', 'on', 'l.note_id = t.id'),
         jsonb_build_object('step', 3, 'verb', 'delete', 'table', 'app.loan', 'related', 'app.loan', 'as', 'l', 'on', 'l.note_id = t.id'),
         jsonb_build_object('step', 4, 'verb', 'delete', 'table', 'app.note')),
     50000, 50, 100, '10m0s', 5000000, 0.5);
SELECT retention._prove('notes');

-- to drop it
SELECT retention._drop_policy('notes');
