-- as owner
DELETE FROM retention.policy WHERE name = 'notes_unseen';
INSERT INTO retention.policy
    (name, description, table_name, partitions, hash, definition, owns, passes, prepares, scope,
     window_own, window_at_least, window_at_most, restores, deletes, unguarded, related,
     changes, statement_deletes, reach, writes, sets, facts,
     batch_rows, batch_time_ms, lock_timeout_ms,
     budget_rows, budget_time, breaker_rows, breaker_fraction, busy, built_in)
VALUES
    ('notes_unseen', '', 'app.note', false, '88a58cc2c829', 'Deletes rows of app.note whose seen_at is older than 30 days.; Deletes rows of app.note whose clock is NULL.',
     ARRAY['ROUTINE retention.notes_unseen_rows(retention.slice)', 'ROUTINE retention.notes_unseen_take(retention.slice)', 'ROUTINE retention.notes_unseen_preview(timestamp with time zone, bigint, jsonb, interval)']::text[],
     '[{"cursor":[["t.seen_at","timestamptz"],["t.id","bigint"]]},{"cursor":[["t.id","bigint"]]}]', false, ARRAY[]::text[],
     NULL, NULL, NULL, false, ARRAY['app.note']::text[], ARRAY[]::text[], ARRAY[]::text[],
     ARRAY['app.note']::text[], ARRAY[]::text[], ARRAY[]::text[],
     ARRAY['DELETE app.note']::text[], '[]',
     jsonb_build_object('clock', 't.seen_at', 'value', 't.seen_at', 'from', 'FROM app.note t', 'too_far', 't.seen_at > (($1).as_of + interval ''1 years'')', 'in_time', 't.seen_at <= (($1).as_of + interval ''1 years'')'),
     50000, 50, 100, NULL, '10m0s', 5000000, 0.5, 1, false);
SELECT retention._prove('notes_unseen');

-- to drop it
SELECT retention._drop_policy('notes_unseen');
