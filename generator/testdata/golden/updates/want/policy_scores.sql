-- as owner
DELETE FROM retention.policy WHERE name = 'scores';
INSERT INTO retention.policy
    (name, description, table_name, partitions, hash, definition, owns, passes, prepares, scope,
     window_own, window_at_least, window_at_most, restores, deletes, unguarded, related,
     changes, statement_deletes, reach, writes, sets, facts,
     batch_rows, batch_time_ms, lock_timeout_ms,
     budget_rows, budget_time, breaker_rows, breaker_fraction, busy, built_in)
VALUES
    ('scores', '', 'app.note', false, '96015035ac9d', 'where score IS DISTINCT FROM d.score; Updates rows of app.note.',
     ARRAY['ROUTINE retention.scores_rows(retention.slice)', 'ROUTINE retention.scores_take(retention.slice)', 'ROUTINE retention.scores_preview(timestamp with time zone, bigint, jsonb, interval)']::text[],
     '[{"cursor":[["t.id","bigint"]]}]', false, ARRAY[]::text[],
     NULL, NULL, NULL, false, ARRAY[]::text[], ARRAY[]::text[], ARRAY[]::text[],
     ARRAY['app.note']::text[], ARRAY[]::text[], ARRAY[]::text[],
     ARRAY['UPDATE app.note']::text[], '[{"step":1,"table":"app.note","set":{"score":null}}]',
     jsonb_build_object(),
     50000, 50, 100, NULL, '10m0s', 5000000, 0.5, 1, false);
SELECT retention._prove('scores');

-- to drop it
SELECT retention._drop_policy('scores');
