-- as owner
DELETE FROM retention.policy WHERE name = 'signals';
INSERT INTO retention.policy
    (name, table_name, hash, definition, owns, grants, passes, restores, deletes, changes, writes, sets, facts, steps,
     batch_rows, batch_time_ms, lock_timeout_ms, budget_time, breaker_rows, breaker_fraction)
VALUES
    ('signals', 'app.note', '5e952d575ab2', 'Deletes rows of app.note whose made_at is older than 7 days.',
     ARRAY['ROUTINE retention.signals_rows(retention.slice)', 'ROUTINE retention.signals_take(retention.slice)']::text[],
     '{"ROUTINE retention.signals_rows(retention.slice)":["retention_operator","retention_viewer"]}',
     '[{"cursor":[["t.made_at","timestamptz"],["t.id","bigint"]],"range":true,"bound":"t.made_at < retention._cutoff(($1).as_of, 0, 7, ''00:00:00'', ''UTC'')"}]',
     jsonb_build_array(
              '{"table":"app.note","from":"app.old_note","run":"run_id","key":["id"],"columns":{"expires_at":"timestamp with time zone","id":"bigint","kind":"text","made_at":"timestamp with time zone","owner_id":"bigint","score":"double precision","seen_at":"timestamp with time zone","starred":"boolean","state":"text","tag":"text"}}'::jsonb),
     ARRAY['app.note']::text[], ARRAY['app.note']::text[],
     ARRAY['DELETE app.note', 'INSERT app.daily', 'INSERT app.old_note', 'UPDATE app.daily']::text[],
     '[{"step":1,"table":"app.daily","set":{"at":null,"last_kind":null,"n":null,"top":null}}]',
     jsonb_build_object('clock', 't.made_at', 'value', 't.made_at', 'from', 'FROM app.note t', 'too_far', 't.made_at > (($1).as_of + interval ''1 years'')', 'in_time', 't.made_at <= (($1).as_of + interval ''1 years'')', 'archives', jsonb_build_object('app.old_note', 'run_id')),
     jsonb_build_array(jsonb_build_object('step', 1, 'verb', 'insert', 'table', 'app.daily', 'where', 't.kind <> ''x''', 'notes', jsonb_build_array('so many at most, since rows of one group become one, or change one that is there')),
         jsonb_build_object('step', 2, 'verb', 'archive', 'table', 'app.old_note', 'key', jsonb_build_array('id')),
         jsonb_build_object('step', 3, 'verb', 'insert', 'table', 'retention.event'),
         jsonb_build_object('step', 4, 'verb', 'delete', 'table', 'app.note')),
     50000, 50, 100, '10m0s', 5000000, 0.5);
SELECT retention._prove('signals');

-- to drop it
SELECT retention._drop_policy('signals');
