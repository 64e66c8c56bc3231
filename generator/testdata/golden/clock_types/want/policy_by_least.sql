-- as owner
DELETE FROM retention.policy WHERE name = 'by_least';
INSERT INTO retention.policy
    (name, table_name, hash, definition, owns, grants, passes, deletes, changes, writes, facts, steps, batch_rows,
     batch_time_ms, lock_timeout_ms, budget_time, breaker_rows, breaker_fraction)
VALUES
    ('by_least', 'app.clocks', 'cefc3a799a72',
     'Deletes rows of app.clocks whose least(read_at, edited_at) is older than 36 hours.',
     ARRAY['ROUTINE retention.by_least_rows(retention.slice)', 'ROUTINE retention.by_least_take(retention.slice)']::text[],
     '{"ROUTINE retention.by_least_rows(retention.slice)":["retention_operator","retention_viewer"]}',
     '[{"cursor":[["(least(t.read_at, t.edited_at))","timestamptz"],["t.id","bigint"]],"range":true,"bound":"(least(t.read_at, t.edited_at)) < retention._cutoff(($1).as_of, 0, 0, ''36:00:00'', ''Europe/Berlin'')"}]',
     ARRAY['app.clocks']::text[], ARRAY['app.clocks']::text[], ARRAY['DELETE app.clocks']::text[],
     jsonb_build_object('clock', '(least(t.read_at, t.edited_at))', 'value', '(least(t.read_at, t.edited_at))', 'from', 'FROM app.clocks t', 'no_clock', '(least(t.read_at, t.edited_at)) IS NULL', 'too_far', '(least(t.read_at, t.edited_at)) > (($1).as_of + interval ''1 years'')', 'in_time', '(least(t.read_at, t.edited_at)) <= (($1).as_of + interval ''1 years'')'),
     jsonb_build_array(jsonb_build_object('step', 1, 'verb', 'delete', 'table', 'app.clocks')), 50000, 50, 100,
     '10m0s', 5000000, 0.5);
SELECT retention._prove('by_least');

-- to drop it
SELECT retention._drop_policy('by_least');
