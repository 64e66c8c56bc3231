-- as owner
DELETE FROM retention.policy WHERE name = 'scores';
INSERT INTO retention.policy
    (name, description, table_name, partitions, hash, definition, owns, grants, passes, prepares, scope,
     window_own, window_at_least, window_at_most, restores, deletes, unguarded, related,
     changes, statement_deletes, reach, writes, sets, facts, steps,
     batch_rows, batch_time_ms, lock_timeout_ms,
     budget_rows, budget_time, breaker_rows, breaker_fraction, busy)
VALUES
    ('scores', '', 'app.note', false, '8a4f09679c6f', 'where score IS DISTINCT FROM d.score; Updates rows of app.note.',
     ARRAY['ROUTINE retention.scores_rows(retention.slice)', 'ROUTINE retention.scores_take(retention.slice)']::text[],
     '{"ROUTINE retention.scores_rows(retention.slice)":["retention_operator","retention_viewer"]}',
     '[{"cursor":[["t.id","bigint"]]}]', false, ARRAY[]::text[],
     NULL, NULL, NULL, NULL, ARRAY[]::text[], ARRAY[]::text[], ARRAY[]::text[],
     ARRAY['app.note']::text[], ARRAY[]::text[], ARRAY[]::text[],
     ARRAY['UPDATE app.note']::text[], '[{"step":1,"table":"app.note","set":{"score":null}}]',
     jsonb_build_object(),
     jsonb_build_array(jsonb_build_object('step', 1, 'verb', 'update', 'table', 'app.note', 'from', 'FROM app.note t LEFT JOIN app.owner o ON (o.id = t.owner_id) LEFT JOIN LATERAL (SELECT o.days * 0.5 AS score) d ON true', 'differs', 't.score IS DISTINCT FROM (d.score)')),
     50000, 50, 100, NULL, '10m0s', 5000000, 0.5, 1);
SELECT retention._prove('scores');

-- to drop it
SELECT retention._drop_policy('scores');
