-- as owner
DELETE FROM retention.policy WHERE name = 'notes_unseen';
INSERT INTO retention.policy
    (name, table_name, hash, definition, owns, grants, passes, deletes, changes, writes, facts, steps, batch_rows,
     batch_time_ms, lock_timeout_ms, budget_time, breaker_rows, breaker_fraction)
VALUES
    ('notes_unseen', 'app.note', '198683dac4aa',
     'Deletes rows of app.note whose seen_at is older than 30 days.; Deletes rows of app.note whose clock is NULL.',
     ARRAY['ROUTINE retention.notes_unseen_rows(retention.slice)', 'ROUTINE retention.notes_unseen_take(retention.slice)']::text[],
     '{"ROUTINE retention.notes_unseen_rows(retention.slice)":["retention_operator","retention_viewer"]}',
     '[{"cursor":[["t.seen_at","timestamptz"],["t.id","bigint"]],"bound":"t.seen_at <= retention._cutoff(($1).as_of, 0, 30, ''00:00:00'', ''UTC'')"},{"cursor":[["t.id","bigint"]],"bound":"true"}]',
     ARRAY['app.note']::text[], ARRAY['app.note']::text[], ARRAY['DELETE app.note']::text[],
     jsonb_build_object('clock', 't.seen_at', 'value', 't.seen_at', 'from', 'FROM app.note t', 'too_far', 't.seen_at > (($1).as_of + interval ''1 years'')', 'in_time', 't.seen_at <= (($1).as_of + interval ''1 years'')'),
     jsonb_build_array(jsonb_build_object('step', 1, 'verb', 'delete', 'table', 'app.note')), 50000, 50, 100, '10m0s',
     5000000, 0.5);
SELECT retention._prove('notes_unseen');

-- to drop it
SELECT retention._drop_policy('notes_unseen');
