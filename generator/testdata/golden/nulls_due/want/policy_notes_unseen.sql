-- as owner
DELETE FROM retention.policy WHERE name = 'notes_unseen';
INSERT INTO retention.policy
    (name, description, table_name, partitions, hash, definition, owns, grants, passes, prepares, scope,
     window_own, window_at_least, window_at_most, restores, deletes, unguarded, related,
     changes, statement_deletes, reach, writes, sets, facts, steps,
     batch_rows, batch_time_ms, lock_timeout_ms,
     budget_rows, budget_time, breaker_rows, breaker_fraction, busy)
VALUES
    ('notes_unseen', '', 'app.note', false, '178215185a36', 'Deletes rows of app.note whose seen_at is older than 30 days.; Deletes rows of app.note whose clock is NULL.',
     ARRAY['ROUTINE retention.notes_unseen_rows(retention.slice)', 'ROUTINE retention.notes_unseen_take(retention.slice)']::text[],
     '{"ROUTINE retention.notes_unseen_rows(retention.slice)":["retention_operator","retention_viewer"]}',
     '[{"cursor":[["t.seen_at","timestamptz"],["t.id","bigint"]]},{"cursor":[["t.id","bigint"]]}]', false, ARRAY[]::text[],
     NULL, NULL, NULL, NULL, ARRAY['app.note']::text[], ARRAY[]::text[], ARRAY[]::text[],
     ARRAY['app.note']::text[], ARRAY[]::text[], ARRAY[]::text[],
     ARRAY['DELETE app.note']::text[], '[]',
     jsonb_build_object('clock', 't.seen_at', 'value', 't.seen_at', 'from', 'FROM app.note t', 'too_far', 't.seen_at > (($1).as_of + interval ''1 years'')', 'in_time', 't.seen_at <= (($1).as_of + interval ''1 years'')'),
     jsonb_build_array(jsonb_build_object('step', 1, 'verb', 'delete', 'table', 'app.note')),
     50000, 50, 100, NULL, '10m0s', 5000000, 0.5, 1);
SELECT retention._prove('notes_unseen');

-- to drop it
SELECT retention._drop_policy('notes_unseen');
