-- as owner
DELETE FROM retention.policy WHERE name = 'epoch_expression';
INSERT INTO retention.policy
    (name, description, table_name, partitions, hash, definition, owns, passes, prepares, scope,
     window_own, window_at_least, window_at_most, restores, deletes, unguarded, related,
     changes, statement_deletes, reach, writes, sets, facts,
     batch_rows, batch_time_ms, lock_timeout_ms,
     budget_rows, budget_time, breaker_rows, breaker_fraction, busy, built_in)
VALUES
    ('epoch_expression', '', 'app.clocks', false, '345ac892c4bd', 'Deletes rows of app.clocks whose snow / 1000 is older than 7 days.',
     ARRAY['ROUTINE retention.epoch_expression_rows(retention.slice)', 'ROUTINE retention.epoch_expression_take(retention.slice)', 'ROUTINE retention.epoch_expression_preview(timestamp with time zone, bigint, jsonb, interval)']::text[],
     '[{"cursor":[["t.id","bigint"]],"range":true}]', false, ARRAY[]::text[],
     NULL, NULL, NULL, false, ARRAY['app.clocks']::text[], ARRAY[]::text[], ARRAY[]::text[],
     ARRAY['app.clocks']::text[], ARRAY[]::text[], ARRAY[]::text[],
     ARRAY['DELETE app.clocks']::text[], '[]',
     jsonb_build_object('clock', '(t.snow / 1000)', 'value', '(t.snow / 1000)', 'from', 'FROM app.clocks t', 'no_clock', '(t.snow / 1000) IS NULL', 'too_far', '(t.snow / 1000) > retention._epoch_ms((($1).as_of + interval ''1 years''))', 'in_time', '(t.snow / 1000) <= retention._epoch_ms((($1).as_of + interval ''1 years''))'),
     50000, 50, 100, NULL, '10m0s', 5000000, 0.5, 1, false);
SELECT retention._prove('epoch_expression');

-- to drop it
SELECT retention._drop_policy('epoch_expression');
