-- as owner
DELETE FROM retention.policy WHERE name = 'notes_grace';
INSERT INTO retention.policy
    (name, description, table_name, partitions, hash, definition, owns, passes, prepares, scope,
     window_own, window_at_least, window_at_most, restores, deletes, unguarded, related,
     changes, statement_deletes, reach, writes, sets, facts,
     batch_rows, batch_time_ms, lock_timeout_ms,
     budget_rows, budget_time, breaker_rows, breaker_fraction, busy, built_in)
VALUES
    ('notes_grace', '', 'app.note', false, '2aacb9cc0e40', 'where kind = ''draft'' AND NOT starred; Deletes rows of app.note whose expires_at is past by 1 year 2 months 3 days 245 minutes.',
     ARRAY['ROUTINE retention.notes_grace_rows(retention.slice)', 'ROUTINE retention.notes_grace_take(retention.slice)', 'ROUTINE retention.notes_grace_preview(timestamp with time zone, bigint, jsonb, interval)']::text[],
     '[{"cursor":[["t.expires_at","timestamptz"],["t.id","bigint"]],"range":true,"bound":"t.expires_at <= retention._cutoff(($1).as_of, 14, 3, ''04:05:00'', ''UTC'')"}]', false, ARRAY[]::text[],
     NULL, NULL, NULL, false, ARRAY['app.note']::text[], ARRAY[]::text[], ARRAY[]::text[],
     ARRAY['app.note']::text[], ARRAY[]::text[], ARRAY[]::text[],
     ARRAY['DELETE app.note']::text[], '[]',
     jsonb_build_object('clock', 't.expires_at', 'value', 't.expires_at', 'from', 'FROM app.note t', 'no_clock', '(t.kind = ''draft'' AND NOT t.starred) AND t.expires_at IS NULL', 'too_far', '(t.kind = ''draft'' AND NOT t.starred) AND t.expires_at > (($1).as_of + interval ''10 years'')', 'in_time', '(t.kind = ''draft'' AND NOT t.starred) AND t.expires_at <= (($1).as_of + interval ''10 years'')'),
     50000, 50, 100, NULL, '10m0s', 5000000, 0.5, 1, false);
SELECT retention._prove('notes_grace');

-- to drop it
SELECT retention._drop_policy('notes_grace');
