-- as owner
DELETE FROM retention.policy WHERE name = 'tracked';
INSERT INTO retention.policy
    (name, description, table_name, partitions, hash, definition, owns, grants, passes, prepares, scope,
     window_own, window_at_least, window_at_most, restores, deletes, unguarded, related,
     changes, statement_deletes, reach, writes, sets, facts, steps,
     batch_rows, batch_time_ms, lock_timeout_ms,
     budget_rows, budget_time, breaker_rows, breaker_fraction, busy)
VALUES
    ('tracked', '', 'app.tracked', false, '9ddff5f4706e', 'Deletes rows of app.tracked whose read_at is older than 30 days.',
     ARRAY['ROUTINE retention.tracked_rows(retention.slice)', 'ROUTINE retention.tracked_take(retention.slice)', 'ROUTINE retention.tracked_touch(text[])']::text[],
     '{"ROUTINE retention.tracked_rows(retention.slice)":["retention_operator","retention_viewer"],"ROUTINE retention.tracked_touch(text[])":["retention_operator","app"]}',
     '[{"cursor":[["t.read_at","timestamptz"],["t.slug","text"]],"range":true}]', false, ARRAY[]::text[],
     NULL, NULL, NULL, NULL, ARRAY['app.tracked']::text[], ARRAY[]::text[], ARRAY[]::text[],
     ARRAY['app.tracked']::text[], ARRAY[]::text[], ARRAY[]::text[],
     ARRAY['DELETE app.tracked']::text[], '[]',
     jsonb_build_object('clock', 't.read_at', 'value', 't.read_at', 'from', 'FROM app.tracked t', 'too_far', 't.read_at > (($1).as_of + interval ''1 years'')', 'in_time', 't.read_at <= (($1).as_of + interval ''1 years'')'),
     jsonb_build_array(jsonb_build_object('step', 1, 'verb', 'delete', 'table', 'app.tracked')),
     50000, 50, 100, NULL, '10m0s', 5000000, 0.5, 1);
SELECT retention._prove('tracked');

-- to drop it
SELECT retention._drop_policy('tracked');
