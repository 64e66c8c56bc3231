-- as owner
DELETE FROM retention.policy WHERE name = 'notes_kept';
INSERT INTO retention.policy
    (name, table_name, hash, definition, owns, grants, passes, deletes, changes, writes, facts, steps, batch_rows,
     batch_time_ms, lock_timeout_ms, budget_time, breaker_rows, breaker_fraction)
VALUES
    ('notes_kept', 'app.note', 'cf13b414f864',
     'Deletes rows of app.note whose made_at is older than 7 days.; keeps starred: starred; keeps open_review: EXISTS (SELECT FROM app.review r WHERE r.note_id = t.id AND r.open); keeps tagged: the first 2; keeps one_a_day: the first 1',
     ARRAY['ROUTINE retention.notes_kept_rows(retention.slice)', 'ROUTINE retention.notes_kept_take(retention.slice)']::text[],
     '{"ROUTINE retention.notes_kept_rows(retention.slice)":["retention_operator","retention_viewer"]}',
     '[{"cursor":[["t.made_at","timestamptz"],["t.id","bigint"]],"bound":"t.made_at < retention._cutoff(($1).as_of, 0, 7, ''00:00:00'', ''UTC'')"}]',
     ARRAY['app.note']::text[], ARRAY['app.note']::text[], ARRAY['DELETE app.note']::text[],
     jsonb_build_object('clock', 't.made_at', 'value', 't.made_at', 'from', 'FROM app.note t', 'too_far', 't.made_at > (($1).as_of + interval ''1 years'')', 'in_time', 't.made_at <= (($1).as_of + interval ''1 years'')'),
     jsonb_build_array(jsonb_build_object('step', 1, 'verb', 'delete', 'table', 'app.note')), 50000, 50, 100, '10m0s',
     5000000, 0.5);
SELECT retention._prove('notes_kept');

-- to drop it
SELECT retention._drop_policy('notes_kept');
