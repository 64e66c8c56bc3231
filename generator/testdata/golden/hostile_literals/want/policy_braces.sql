-- as owner
DELETE FROM retention.policy WHERE name = 'braces';
INSERT INTO retention.policy
    (name, table_name, hash, definition, owns, grants, passes, deletes, changes, writes, facts, steps, batch_rows,
     batch_time_ms, lock_timeout_ms, budget_time, breaker_rows, breaker_fraction)
VALUES
    ('braces', 'app.note', '00561ff5a49c',
     'where kind <> ''{{ .Table }} {{ end }}''; Deletes rows of app.note whose made_at is older than 1 day.',
     ARRAY['ROUTINE retention.braces_rows(retention.slice)', 'ROUTINE retention.braces_take(retention.slice)']::text[],
     '{"ROUTINE retention.braces_rows(retention.slice)":["retention_operator","retention_viewer"]}',
     '[{"cursor":[["t.made_at","timestamptz"],["t.id","bigint"]],"range":true,"bound":"t.made_at < retention._cutoff(($1).as_of, 0, 1, ''00:00:00'', ''UTC'')","filtered":true}]',
     ARRAY['app.note']::text[], ARRAY['app.note']::text[], ARRAY['DELETE app.note']::text[],
     jsonb_build_object('clock', 't.made_at', 'value', 't.made_at', 'from', 'FROM app.note t', 'too_far', '(t.kind <> ''{{ .Table }} {{ end }}'') AND t.made_at > (($1).as_of + interval ''1 years'')', 'in_time', '(t.kind <> ''{{ .Table }} {{ end }}'') AND t.made_at <= (($1).as_of + interval ''1 years'')'),
     jsonb_build_array(jsonb_build_object('step', 1, 'verb', 'delete', 'table', 'app.note')), 50000, 50, 100, '10m0s',
     5000000, 0.5);
SELECT retention._prove('braces');

-- to drop it
SELECT retention._drop_policy('braces');
