-- as owner
DELETE FROM retention.policy WHERE name = 'snow';
INSERT INTO retention.policy
    (name, table_name, hash, definition, owns, grants, passes, deletes, changes, writes, facts, steps, batch_rows,
     batch_time_ms, lock_timeout_ms, budget_time, breaker_rows, breaker_fraction)
VALUES
    ('snow', 'app.clocks', '3e8d4a50e5b2', 'Deletes rows of app.clocks whose snow is older than 7 days.',
     ARRAY['ROUTINE retention.snow_rows(retention.slice)', 'ROUTINE retention.snow_take(retention.slice)']::text[],
     '{"ROUTINE retention.snow_rows(retention.slice)":["retention_operator","retention_viewer"]}',
     '[{"cursor":[["t.snow","bigint"],["t.id","bigint"]],"range":true,"bound":"t.snow < retention._snowflake_floor(retention._cutoff(($1).as_of, 0, 7, ''00:00:00'', ''UTC''), 1288834974657, 22)"}]',
     ARRAY['app.clocks']::text[], ARRAY['app.clocks']::text[], ARRAY['DELETE app.clocks']::text[],
     jsonb_build_object('clock', 't.snow', 'value', 't.snow', 'from', 'FROM app.clocks t', 'no_clock', 't.snow IS NULL', 'too_far', 't.snow > retention._snowflake_floor((($1).as_of + interval ''1 years''), 1288834974657, 22)', 'in_time', 't.snow <= retention._snowflake_floor((($1).as_of + interval ''1 years''), 1288834974657, 22)'),
     jsonb_build_array(jsonb_build_object('step', 1, 'verb', 'delete', 'table', 'app.clocks')), 50000, 50, 100,
     '10m0s', 5000000, 0.5);
SELECT retention._prove('snow');

-- to drop it
SELECT retention._drop_policy('snow');
