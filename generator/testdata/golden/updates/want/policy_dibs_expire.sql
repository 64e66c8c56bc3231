-- as owner
DELETE FROM retention.policy WHERE name = 'dibs_expire';
INSERT INTO retention.policy
    (name, table_name, hash, definition, owns, grants, passes, restores, related, changes, writes, sets, facts, steps,
     batch_rows, batch_time_ms, lock_timeout_ms, budget_time, breaker_rows, breaker_fraction)
VALUES
    ('dibs_expire', 'app.note', '2100cde1c5b2',
     'where NOT starred; Updates rows of app.note whose expires_at is past by 0 days.',
     ARRAY['ROUTINE retention.dibs_expire_rows(retention.slice)', 'ROUTINE retention.dibs_expire_take(retention.slice)']::text[],
     '{"ROUTINE retention.dibs_expire_rows(retention.slice)":["retention_operator","retention_viewer"]}',
     '[{"cursor":[["t.expires_at","timestamptz"],["t.id","bigint"]],"bound":"t.expires_at < retention._cutoff(($1).as_of, 0, 0, ''00:00:00'', ''UTC'')","filtered":true}]',
     jsonb_build_array(
              '{"table":"app.note","from":"retention.undo","run":"run_id","same":{"policy":"''dibs_expire''","step":"1"},"key":["id"],"columns":{"id":"bigint","starred":"boolean"},"set":{"starred":"false"}}'::jsonb),
     ARRAY['app.loan', 'app.owner']::text[], ARRAY['app.note', 'app.loan', 'app.owner']::text[],
     ARRAY['UPDATE app.loan', 'UPDATE app.note', 'UPDATE app.owner']::text[],
     '[{"step":1,"table":"app.note","set":{"starred":"true"}},{"step":2,"table":"app.loan","set":{"used_at":"NULL"}},{"step":3,"table":"app.owner","set":{"days":null}}]',
     jsonb_build_object('clock', 't.expires_at', 'value', 't.expires_at', 'from', 'FROM app.note t', 'no_clock', '(NOT t.starred) AND t.expires_at IS NULL', 'too_far', '(NOT t.starred) AND t.expires_at > (($1).as_of + interval ''10 years'')', 'in_time', '(NOT t.starred) AND t.expires_at <= (($1).as_of + interval ''10 years'')'),
     jsonb_build_array(jsonb_build_object('step', 1, 'verb', 'update', 'table', 'app.note', 'differs', 't.starred IS DISTINCT FROM (true)'),
         jsonb_build_object('step', 2, 'verb', 'update', 'table', 'app.loan', 'related', 'app.loan', 'as', 'l', 'on', 'l.note_id = t.id', 'differs', 'l.used_at IS DISTINCT FROM (NULL)'),
         jsonb_build_object('step', 3, 'verb', 'update', 'table', 'app.owner', 'related', 'app.owner', 'as', 'o', 'on', 'o.id = t.owner_id', 'differs', 'o.days IS DISTINCT FROM (length(t.kind))')),
     50000, 50, 100, '10m0s', 5000000, 0.5);
SELECT retention._prove('dibs_expire');

-- to drop it
SELECT retention._drop_policy('dibs_expire');
