-- as owner
DELETE FROM retention.policy WHERE name = 'notes_joined';
INSERT INTO retention.policy
    (name, table_name, hash, definition, owns, grants, passes, prepares, deletes, changes, writes, facts, steps,
     batch_rows, batch_time_ms, lock_timeout_ms, budget_time, breaker_rows, breaker_fraction)
VALUES
    ('notes_joined', 'app.note', '820921ca5369',
     'where NOT o.enabled AND c.kept IS NOT TRUE; Deletes rows of app.note whose made_at is older than 1 year.; keeps lent: l.used_at > as_of - interval ''30 days''',
     ARRAY['TABLE retention.notes_joined_c', 'ROUTINE retention.notes_joined_rows(retention.slice)', 'ROUTINE retention.notes_joined_take(retention.slice)', 'ROUTINE retention.notes_joined_start(retention.slice)']::text[],
     '{"ROUTINE retention.notes_joined_rows(retention.slice)":["retention_operator","retention_viewer"],"TABLE retention.notes_joined_c":["retention_operator","retention_viewer"]}',
     '[{"cursor":[["t.made_at","timestamptz"],["t.id","bigint"]],"bound":"t.made_at < retention._cutoff(($1).as_of, 12, 0, ''00:00:00'', ''UTC'')","filtered":true}]',
     true, ARRAY['app.note']::text[], ARRAY['app.note']::text[], ARRAY['DELETE app.note']::text[],
     jsonb_build_object('clock', 't.made_at', 'value', 't.made_at', 'from', 'FROM app.note t LEFT JOIN app.owner o ON (o.id = t.owner_id) LEFT JOIN (SELECT s.* FROM retention.notes_joined_c s WHERE ($1).inputs IS NOT NULL UNION ALL SELECT q.* FROM (SELECT kind, kept FROM app.config WHERE days > 0) q WHERE ($1).inputs IS NULL) c ON (c.kind = t.kind) LEFT JOIN LATERAL (SELECT max(x.used_at) AS used_at FROM app.loan x WHERE x.note_id = t.id AND x.used_at < ($1).as_of) l ON true', 'too_far', '(NOT o.enabled AND c.kept IS NOT TRUE) AND t.made_at > (($1).as_of + interval ''1 years'')', 'in_time', '(NOT o.enabled AND c.kept IS NOT TRUE) AND t.made_at <= (($1).as_of + interval ''1 years'')'),
     jsonb_build_array(jsonb_build_object('step', 1, 'verb', 'delete', 'table', 'app.note', 'from', 'FROM app.note t LEFT JOIN app.owner o ON (o.id = t.owner_id) LEFT JOIN (SELECT s.* FROM retention.notes_joined_c s WHERE ($1).inputs IS NOT NULL UNION ALL SELECT q.* FROM (SELECT kind, kept FROM app.config WHERE days > 0) q WHERE ($1).inputs IS NULL) c ON (c.kind = t.kind) LEFT JOIN LATERAL (SELECT max(x.used_at) AS used_at FROM app.loan x WHERE x.note_id = t.id AND x.used_at < ($1).as_of) l ON true')),
     50000, 50, 100, '10m0s', 5000000, 0.5);
SELECT retention._prove('notes_joined');

-- to drop it
SELECT retention._drop_policy('notes_joined');
