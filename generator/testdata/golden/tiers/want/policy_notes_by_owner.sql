-- as owner
DELETE FROM retention.policy WHERE name = 'notes_by_owner';
INSERT INTO retention.policy
    (name, table_name, hash, definition, owns, grants, passes, deletes, changes, writes, facts, steps, batch_rows,
     batch_time_ms, lock_timeout_ms, budget_time, breaker_rows, breaker_fraction)
VALUES
    ('notes_by_owner', 'app.note', '87a147573028',
     'Deletes rows of app.note whose made_at is older than 1 year / 90 days.',
     ARRAY['ROUTINE retention.notes_by_owner_rows(retention.slice)', 'ROUTINE retention.notes_by_owner_take(retention.slice)']::text[],
     '{"ROUTINE retention.notes_by_owner_rows(retention.slice)":["retention_operator","retention_viewer"]}',
     '[{"cursor":[["t.made_at","timestamptz"],["t.id","bigint"]],"bound":"t.made_at < greatest(retention._cutoff(($1).as_of, 12, 0, ''00:00:00'', ''UTC''), retention._cutoff(($1).as_of, 0, 90, ''00:00:00'', ''UTC''))","filtered":true}]',
     ARRAY['app.note']::text[], ARRAY['app.note']::text[], ARRAY['DELETE app.note']::text[],
     jsonb_build_object('clock', 't.made_at', 'value', 't.made_at', 'from', 'FROM app.note t LEFT JOIN app.owner o ON (o.id = t.owner_id)', 'too_far', 't.made_at > (($1).as_of + interval ''1 years'')', 'in_time', 't.made_at <= (($1).as_of + interval ''1 years'')'),
     jsonb_build_array(jsonb_build_object('step', 1, 'verb', 'delete', 'table', 'app.note', 'from', 'FROM app.note t LEFT JOIN app.owner o ON (o.id = t.owner_id)')),
     50000, 50, 100, '10m0s', 5000000, 0.5);
SELECT retention._prove('notes_by_owner');

-- to drop it
SELECT retention._drop_policy('notes_by_owner');
