-- as owner
DELETE FROM retention.policy WHERE name = 'epoch_ms_float';
INSERT INTO retention.policy
    (name, description, table_name, partitions, hash, definition, owns, grants, passes, prepares, scope,
     window_own, window_at_least, window_at_most, restores, deletes, unguarded, related,
     changes, statement_deletes, reach, writes, sets, facts, steps,
     batch_rows, batch_time_ms, lock_timeout_ms,
     budget_rows, budget_time, breaker_rows, breaker_fraction, busy)
VALUES
    ('epoch_ms_float', '', 'app.clocks', false, '46a2188afc62', 'Deletes rows of app.clocks whose epoch_ms_float is older than 7 days.',
     ARRAY['ROUTINE retention.epoch_ms_float_rows(retention.slice)', 'ROUTINE retention.epoch_ms_float_take(retention.slice)']::text[],
     '{"ROUTINE retention.epoch_ms_float_rows(retention.slice)":["retention_operator","retention_viewer"]}',
     '[{"cursor":[["t.epoch_ms_float","double precision"],["t.id","bigint"]],"range":true}]', false, ARRAY[]::text[],
     NULL, NULL, NULL, NULL, ARRAY['app.clocks']::text[], ARRAY[]::text[], ARRAY[]::text[],
     ARRAY['app.clocks']::text[], ARRAY[]::text[], ARRAY[]::text[],
     ARRAY['DELETE app.clocks']::text[], '[]',
     jsonb_build_object('clock', 't.epoch_ms_float', 'value', 't.epoch_ms_float', 'from', 'FROM app.clocks t', 'no_clock', 't.epoch_ms_float IS NULL', 'too_far', 't.epoch_ms_float > (extract(epoch FROM (($1).as_of + interval ''1 years'')) * 1000)::double precision', 'in_time', 't.epoch_ms_float <= (extract(epoch FROM (($1).as_of + interval ''1 years'')) * 1000)::double precision'),
     jsonb_build_array(jsonb_build_object('step', 1, 'verb', 'delete', 'table', 'app.clocks')),
     50000, 50, 100, NULL, '10m0s', 5000000, 0.5, 1);
SELECT retention._prove('epoch_ms_float');

-- to drop it
SELECT retention._drop_policy('epoch_ms_float');
