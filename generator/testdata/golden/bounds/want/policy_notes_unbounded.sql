-- as owner
DELETE FROM retention.policy WHERE name = 'notes_unbounded';
INSERT INTO retention.policy
    (name, description, table_name, partitions, hash, definition, owns, grants, passes, prepares, scope,
     window_own, window_at_least, window_at_most, restores, deletes, unguarded, related,
     changes, statement_deletes, reach, writes, sets, facts, steps,
     batch_rows, batch_time_ms, lock_timeout_ms,
     budget_rows, budget_time, breaker_rows, breaker_fraction, busy)
VALUES
    ('notes_unbounded', '', 'app.note', false, '53de686fdb3a', 'Deletes rows of app.note whose expires_at is past by 0 days.',
     ARRAY['ROUTINE retention.notes_unbounded_rows(retention.slice)', 'ROUTINE retention.notes_unbounded_take(retention.slice)']::text[],
     '{"ROUTINE retention.notes_unbounded_rows(retention.slice)":["retention_operator","retention_viewer"]}',
     '[{"cursor":[["t.expires_at","timestamptz"],["t.id","bigint"]],"range":true}]', false, ARRAY[]::text[],
     NULL, NULL, NULL, NULL, ARRAY['app.note']::text[], ARRAY[]::text[], ARRAY[]::text[],
     ARRAY['app.note']::text[], ARRAY[]::text[], ARRAY[]::text[],
     ARRAY['DELETE app.note']::text[], '[]',
     jsonb_build_object('clock', 't.expires_at', 'value', 't.expires_at', 'from', 'FROM app.note t', 'no_clock', 't.expires_at IS NULL', 'too_far', 't.expires_at > (($1).as_of + interval ''10 years'')', 'in_time', 't.expires_at <= (($1).as_of + interval ''10 years'')'),
     jsonb_build_array(jsonb_build_object('step', 1, 'verb', 'delete', 'table', 'app.note')),
     100, NULL, 2000, NULL, NULL, 5000000, 1, 0.5);
SELECT retention._prove('notes_unbounded');

-- to drop it
SELECT retention._drop_policy('notes_unbounded');
