-- as owner
DELETE FROM retention.policy WHERE name = 'by_age';
INSERT INTO retention.policy
    (name, table_name, hash, definition, owns, grants, passes, deletes, changes, writes, facts, steps, batch_rows,
     batch_time_ms, lock_timeout_ms, budget_time, breaker_rows, breaker_fraction)
VALUES
    ('by_age', 'app.not_served', '2434a687b948', 'Deletes rows of app.not_served whose at is older than 1 year.',
     ARRAY['ROUTINE retention.by_age_rows(retention.slice)', 'ROUTINE retention.by_age_take(retention.slice)']::text[],
     '{"ROUTINE retention.by_age_rows(retention.slice)":["retention_operator","retention_viewer"]}',
     '[{"cursor":[["t.at","timestamptz"],["t.id","bigint"]],"range":true,"bound":"t.at < retention._cutoff(($1).as_of, 12, 0, ''00:00:00'', ''UTC'')"}]',
     ARRAY['app.not_served']::text[], ARRAY['app.not_served']::text[], ARRAY['DELETE app.not_served']::text[],
     jsonb_build_object('clock', 't.at', 'value', 't.at', 'from', 'FROM app.not_served t', 'no_clock', 't.at IS NULL', 'too_far', 't.at > (($1).as_of + interval ''1 years'')', 'in_time', 't.at <= (($1).as_of + interval ''1 years'')'),
     jsonb_build_array(jsonb_build_object('step', 1, 'verb', 'delete', 'table', 'app.not_served')), 50000, 50, 100,
     '10m0s', 5000000, 0.5);
SELECT retention._prove('by_age');

-- to drop it
SELECT retention._drop_policy('by_age');
