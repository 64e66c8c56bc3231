-- as owner
DELETE FROM retention.policy WHERE name = 'notes_expired';
INSERT INTO retention.policy
    (name, table_name, hash, definition, owns, grants, passes, deletes, changes, writes, facts, steps, batch_rows,
     batch_time_ms, lock_timeout_ms, budget_time, breaker_rows, breaker_fraction)
VALUES
    ('notes_expired', 'app.note', 'a3fca8e5f5a0', 'Deletes rows of app.note whose expires_at is past by 0 days.',
     ARRAY['ROUTINE retention.notes_expired_rows(retention.slice)', 'ROUTINE retention.notes_expired_take(retention.slice)']::text[],
     '{"ROUTINE retention.notes_expired_rows(retention.slice)":["retention_operator","retention_viewer"]}',
     '[{"cursor":[["t.expires_at","timestamptz"],["t.id","bigint"]],"range":true,"bound":"t.expires_at < retention._cutoff(($1).as_of, 0, 0, ''00:00:00'', ''UTC'')"}]',
     ARRAY['app.note']::text[], ARRAY['app.note']::text[], ARRAY['DELETE app.note']::text[],
     jsonb_build_object('clock', 't.expires_at', 'value', 't.expires_at', 'from', 'FROM app.note t', 'no_clock', 't.expires_at IS NULL', 'too_far', 't.expires_at > (($1).as_of + interval ''10 years'')', 'in_time', 't.expires_at <= (($1).as_of + interval ''10 years'')'),
     jsonb_build_array(jsonb_build_object('step', 1, 'verb', 'delete', 'table', 'app.note')), 50000, 50, 100, '10m0s',
     5000000, 0.5);
SELECT retention._prove('notes_expired');

-- to drop it
SELECT retention._drop_policy('notes_expired');
