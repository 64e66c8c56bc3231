-- as owner
DELETE FROM retention.policy WHERE name = 'epoch_expression';
INSERT INTO retention.policy
    (name, description, table_name, partitions, hash, definition, owns, grants, passes, prepares, scope,
     window_own, window_at_least, window_at_most, restores, deletes, unguarded, related,
     changes, statement_deletes, reach, writes, sets, facts, steps,
     batch_rows, batch_time_ms, lock_timeout_ms,
     budget_rows, budget_time, breaker_rows, breaker_fraction, busy)
VALUES
    ('epoch_expression', '', 'app.clocks', false, 'e997cc6ef87e', 'Deletes rows of app.clocks whose snow / 1000 is older than 7 days.',
     ARRAY['ROUTINE retention.epoch_expression_rows(retention.slice)', 'ROUTINE retention.epoch_expression_take(retention.slice)']::text[],
     '{"ROUTINE retention.epoch_expression_rows(retention.slice)":["retention_operator","retention_viewer"]}',
     '[{"cursor":[["t.id","bigint"]],"range":true}]', false, ARRAY[]::text[],
     NULL, NULL, NULL, NULL, ARRAY['app.clocks']::text[], ARRAY[]::text[], ARRAY[]::text[],
     ARRAY['app.clocks']::text[], ARRAY[]::text[], ARRAY[]::text[],
     ARRAY['DELETE app.clocks']::text[], '[]',
     jsonb_build_object('clock', '(t.snow / 1000)', 'value', '(t.snow / 1000)', 'from', 'FROM app.clocks t', 'no_clock', '(t.snow / 1000) IS NULL', 'too_far', '(t.snow / 1000) > retention._epoch_ms((($1).as_of + interval ''1 years''))', 'in_time', '(t.snow / 1000) <= retention._epoch_ms((($1).as_of + interval ''1 years''))'),
     jsonb_build_array(jsonb_build_object('step', 1, 'verb', 'delete', 'table', 'app.clocks')),
     50000, 50, 100, NULL, '10m0s', 5000000, 0.5, 1);
SELECT retention._prove('epoch_expression');

-- to drop it
SELECT retention._drop_policy('epoch_expression');
