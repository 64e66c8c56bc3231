-- as owner
DELETE FROM retention.policy WHERE name = 'epoch_expression';
INSERT INTO retention.policy
    (name, table_name, hash, definition, owns, grants, passes, deletes, changes, writes, facts, steps, batch_rows,
     batch_time_ms, lock_timeout_ms, budget_time, breaker_rows, breaker_fraction)
VALUES
    ('epoch_expression', 'app.clocks', '4fa4f77bd4e2',
     'Deletes rows of app.clocks whose snow / 1000 is older than 7 days.',
     ARRAY['ROUTINE retention.epoch_expression_rows(retention.slice)', 'ROUTINE retention.epoch_expression_take(retention.slice)']::text[],
     '{"ROUTINE retention.epoch_expression_rows(retention.slice)":["retention_operator","retention_viewer"]}',
     '[{"cursor":[["t.id","bigint"]],"range":true,"bound":"true"}]', ARRAY['app.clocks']::text[],
     ARRAY['app.clocks']::text[], ARRAY['DELETE app.clocks']::text[],
     jsonb_build_object('clock', '(t.snow / 1000)', 'value', '(t.snow / 1000)', 'from', 'FROM app.clocks t', 'no_clock', '(t.snow / 1000) IS NULL', 'too_far', '(t.snow / 1000) > retention._epoch_ms((($1).as_of + interval ''1 years''))', 'in_time', '(t.snow / 1000) <= retention._epoch_ms((($1).as_of + interval ''1 years''))'),
     jsonb_build_array(jsonb_build_object('step', 1, 'verb', 'delete', 'table', 'app.clocks')), 50000, 50, 100,
     '10m0s', 5000000, 0.5);
SELECT retention._prove('epoch_expression');

-- to drop it
SELECT retention._drop_policy('epoch_expression');
