-- as owner
DELETE FROM retention.policy WHERE name = 'items';
INSERT INTO retention.policy
    (name, table_name, hash, definition, owns, grants, passes, prepares, scope, window_own, window_at_least,
     window_at_most, deletes, changes, writes, facts, steps, batch_rows, batch_time_ms, lock_timeout_ms, budget_time,
     breaker_rows, breaker_fraction)
VALUES
    ('items', 'app.note', '5ae79fb16a9f',
     'Deletes rows of app.note whose made_at is older than days of coalesce(c.days, o.days).',
     ARRAY['TABLE retention.items_c', 'ROUTINE retention.items_rows(retention.slice)', 'ROUTINE retention.items_take(retention.slice)', 'ROUTINE retention.items_start(retention.slice)']::text[],
     '{"ROUTINE retention.items_rows(retention.slice)":["retention_operator","retention_viewer"],"TABLE retention.items_c":["retention_operator","retention_viewer"]}',
     '[{"cursor":[["t.made_at","timestamptz"],["t.id","bigint"]],"bound":"t.made_at < retention._cutoff(($1).as_of, 0, 7, ''00:00:00'', ''UTC'') AND t.made_at <= CASE WHEN ($1).inputs IS NULL THEN (SELECT max(used_at) FROM app.loan)::timestamptz ELSE (($1).inputs ->> ''up_to_1'')::timestamptz END","filtered":true}]',
     true, ARRAY['owner_id']::text[], '0 months 30 days 00:00:00', '0 months 7 days 00:00:00',
     '0 months 365 days 00:00:00', ARRAY['app.note']::text[], ARRAY['app.note']::text[],
     ARRAY['DELETE app.note']::text[],
     jsonb_build_object('clock', 't.made_at', 'value', 't.made_at', 'from', 'FROM app.note t LEFT JOIN app.owner o ON (o.id = t.owner_id) LEFT JOIN (SELECT s.* FROM retention.items_c s WHERE ($1).inputs IS NOT NULL UNION ALL SELECT q.* FROM (SELECT kind, max(days) AS days FROM app.config WHERE ($1).as_of IS NOT NULL GROUP BY kind) q WHERE ($1).inputs IS NULL) c ON (c.kind = t.kind) CROSS JOIN LATERAL (SELECT (coalesce(c.days, o.days)) AS value) v_window_1_1', 'too_far', 't.made_at > (($1).as_of + interval ''1 years'')', 'in_time', 't.made_at <= (($1).as_of + interval ''1 years'')'),
     jsonb_build_array(jsonb_build_object('step', 1, 'verb', 'delete', 'table', 'app.note', 'from', 'FROM app.note t LEFT JOIN app.owner o ON (o.id = t.owner_id) LEFT JOIN (SELECT s.* FROM retention.items_c s WHERE ($1).inputs IS NOT NULL UNION ALL SELECT q.* FROM (SELECT kind, max(days) AS days FROM app.config WHERE ($1).as_of IS NOT NULL GROUP BY kind) q WHERE ($1).inputs IS NULL) c ON (c.kind = t.kind) CROSS JOIN LATERAL (SELECT (coalesce(c.days, o.days)) AS value) v_window_1_1')),
     50000, 50, 100, '10m0s', 5000000, 0.5);
SELECT retention._prove('items');

-- to drop it
SELECT retention._drop_policy('items');
