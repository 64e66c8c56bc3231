-- as owner
DELETE FROM retention.policy WHERE name = 'by_age';
INSERT INTO retention.policy
    (name, description, table_name, partitions, hash, definition, owns, grants, passes, prepares, scope,
     window_own, window_at_least, window_at_most, restores, deletes, unguarded, related,
     changes, statement_deletes, reach, writes, sets, facts, steps,
     batch_rows, batch_time_ms, lock_timeout_ms,
     budget_rows, budget_time, breaker_rows, breaker_fraction, busy)
VALUES
    ('by_age', '', 'app.not_served', false, '10f258ca6e99', 'Deletes rows of app.not_served whose at is older than 1 year.',
     ARRAY['ROUTINE retention.by_age_rows(retention.slice)', 'ROUTINE retention.by_age_take(retention.slice)']::text[],
     '{"ROUTINE retention.by_age_rows(retention.slice)":["retention_operator","retention_viewer"]}',
     '[{"cursor":[["t.at","timestamptz"],["t.id","bigint"]],"range":true}]', false, ARRAY[]::text[],
     NULL, NULL, NULL, NULL, ARRAY['app.not_served']::text[], ARRAY[]::text[], ARRAY[]::text[],
     ARRAY['app.not_served']::text[], ARRAY[]::text[], ARRAY[]::text[],
     ARRAY['DELETE app.not_served']::text[], '[]',
     jsonb_build_object('clock', 't.at', 'value', 't.at', 'from', 'FROM app.not_served t', 'no_clock', 't.at IS NULL', 'too_far', 't.at > (($1).as_of + interval ''1 years'')', 'in_time', 't.at <= (($1).as_of + interval ''1 years'')'),
     jsonb_build_array(jsonb_build_object('step', 1, 'verb', 'delete', 'table', 'app.not_served')),
     50000, 50, 100, NULL, '10m0s', 5000000, 0.5, 1);
SELECT retention._prove('by_age');

-- to drop it
SELECT retention._drop_policy('by_age');
