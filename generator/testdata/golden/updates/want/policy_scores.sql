-- as owner
DELETE FROM retention.policy WHERE name = 'scores';
INSERT INTO retention.policy
    (name, table_name, hash, definition, owns, grants, passes, changes, writes, sets, steps, batch_rows,
     batch_time_ms, lock_timeout_ms, budget_time, breaker_rows, breaker_fraction)
VALUES
    ('scores', 'app.note', 'f6e316f1f6e6', 'where score IS DISTINCT FROM d.score; Updates rows of app.note.',
     ARRAY['ROUTINE retention.scores_rows(retention.slice)', 'ROUTINE retention.scores_take(retention.slice)']::text[],
     '{"ROUTINE retention.scores_rows(retention.slice)":["retention_operator","retention_viewer"]}',
     '[{"cursor":[["t.id","bigint"]],"bound":"true"}]', ARRAY['app.note']::text[], ARRAY['UPDATE app.note']::text[],
     '[{"step":1,"table":"app.note","set":{"score":null}}]',
     jsonb_build_array(jsonb_build_object('step', 1, 'verb', 'update', 'table', 'app.note', 'from', 'FROM app.note t LEFT JOIN app.owner o ON (o.id = t.owner_id) LEFT JOIN LATERAL (SELECT o.days * 0.5 AS score) d ON true', 'differs', 't.score IS DISTINCT FROM (d.score)')),
     50000, 50, 100, '10m0s', 5000000, 0.5);
SELECT retention._prove('scores');

-- to drop it
SELECT retention._drop_policy('scores');
