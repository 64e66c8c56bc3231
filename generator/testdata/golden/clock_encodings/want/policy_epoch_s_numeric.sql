-- as owner
DELETE FROM retention.policy WHERE name = 'epoch_s_numeric';
INSERT INTO retention.policy
    (name, table_name, hash, definition, owns, grants, passes, deletes, changes, writes, facts, steps, batch_rows,
     batch_time_ms, lock_timeout_ms, budget_time, breaker_rows, breaker_fraction)
VALUES
    ('epoch_s_numeric', 'app.clocks', '23671bee5572',
     'Deletes rows of app.clocks whose epoch_s_numeric is older than 7 days.',
     ARRAY['ROUTINE retention.epoch_s_numeric_rows(retention.slice)', 'ROUTINE retention.epoch_s_numeric_take(retention.slice)']::text[],
     '{"ROUTINE retention.epoch_s_numeric_rows(retention.slice)":["retention_operator","retention_viewer"]}',
     '[{"cursor":[["t.epoch_s_numeric","numeric"],["t.id","bigint"]],"range":true,"bound":"t.epoch_s_numeric < extract(epoch FROM retention._cutoff(($1).as_of, 0, 7, ''00:00:00'', ''UTC''))"}]',
     ARRAY['app.clocks']::text[], ARRAY['app.clocks']::text[], ARRAY['DELETE app.clocks']::text[],
     jsonb_build_object('clock', 't.epoch_s_numeric', 'value', 't.epoch_s_numeric', 'from', 'FROM app.clocks t', 'no_clock', 't.epoch_s_numeric IS NULL', 'too_far', 't.epoch_s_numeric > extract(epoch FROM (($1).as_of + interval ''1 years''))', 'in_time', 't.epoch_s_numeric <= extract(epoch FROM (($1).as_of + interval ''1 years''))'),
     jsonb_build_array(jsonb_build_object('step', 1, 'verb', 'delete', 'table', 'app.clocks')), 50000, 50, 100,
     '10m0s', 5000000, 0.5);
SELECT retention._prove('epoch_s_numeric');

-- to drop it
SELECT retention._drop_policy('epoch_s_numeric');
