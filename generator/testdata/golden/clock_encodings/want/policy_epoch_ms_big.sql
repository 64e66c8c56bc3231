-- as owner
DELETE FROM retention.policy WHERE name = 'epoch_ms_big';
INSERT INTO retention.policy
    (name, table_name, hash, definition, owns, grants, passes, deletes, changes, writes, facts, steps, batch_rows,
     batch_time_ms, lock_timeout_ms, budget_time, breaker_rows, breaker_fraction)
VALUES
    ('epoch_ms_big', 'app.clocks', '95f05af15aa0',
     'Deletes rows of app.clocks whose epoch_ms_big is older than 7 days.',
     ARRAY['ROUTINE retention.epoch_ms_big_rows(retention.slice)', 'ROUTINE retention.epoch_ms_big_take(retention.slice)']::text[],
     '{"ROUTINE retention.epoch_ms_big_rows(retention.slice)":["retention_operator","retention_viewer"]}',
     '[{"cursor":[["t.epoch_ms_big","bigint"],["t.id","bigint"]],"range":true,"bound":"t.epoch_ms_big < retention._epoch_ms(retention._cutoff(($1).as_of, 0, 7, ''00:00:00'', ''UTC''))"}]',
     ARRAY['app.clocks']::text[], ARRAY['app.clocks']::text[], ARRAY['DELETE app.clocks']::text[],
     jsonb_build_object('clock', 't.epoch_ms_big', 'value', 't.epoch_ms_big', 'from', 'FROM app.clocks t', 'no_clock', 't.epoch_ms_big IS NULL', 'too_far', 't.epoch_ms_big > retention._epoch_ms((($1).as_of + interval ''1 years''))', 'in_time', 't.epoch_ms_big <= retention._epoch_ms((($1).as_of + interval ''1 years''))'),
     jsonb_build_array(jsonb_build_object('step', 1, 'verb', 'delete', 'table', 'app.clocks')), 50000, 50, 100,
     '10m0s', 5000000, 0.5);
SELECT retention._prove('epoch_ms_big');

-- to drop it
SELECT retention._drop_policy('epoch_ms_big');
