-- as owner
DELETE FROM retention.policy WHERE name = 'notes_unbounded';
INSERT INTO retention.policy
    (name, table_name, hash, definition, owns, grants, passes, deletes, changes, writes, facts, steps, batch_rows,
     lock_timeout_ms, breaker_rows, breaker_fraction, busy)
VALUES
    ('notes_unbounded', 'app.note', '0c2bf9db9384', 'Deletes rows of app.note whose expires_at is past by 0 days.',
     ARRAY['ROUTINE retention.notes_unbounded_rows(retention.slice)', 'ROUTINE retention.notes_unbounded_take(retention.slice)']::text[],
     '{"ROUTINE retention.notes_unbounded_rows(retention.slice)":["retention_operator","retention_viewer"]}',
     '[{"cursor":[["t.expires_at","timestamptz"],["t.id","bigint"]],"range":true,"bound":"t.expires_at < retention._cutoff(($1).as_of, 0, 0, ''00:00:00'', ''UTC'')"}]',
     ARRAY['app.note']::text[], ARRAY['app.note']::text[], ARRAY['DELETE app.note']::text[],
     jsonb_build_object('clock', 't.expires_at', 'value', 't.expires_at', 'from', 'FROM app.note t', 'no_clock', 't.expires_at IS NULL', 'too_far', 't.expires_at > (($1).as_of + interval ''10 years'')', 'in_time', 't.expires_at <= (($1).as_of + interval ''10 years'')'),
     jsonb_build_array(jsonb_build_object('step', 1, 'verb', 'delete', 'table', 'app.note')), 100, 2000, 5000000, 1,
     0.5);
SELECT retention._prove('notes_unbounded');

-- to drop it
SELECT retention._drop_policy('notes_unbounded');
