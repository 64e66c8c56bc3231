-- as owner
DELETE FROM retention.policy WHERE name = 'uuid';
INSERT INTO retention.policy
    (name, table_name, hash, definition, owns, grants, passes, deletes, changes, writes, facts, steps, batch_rows,
     batch_time_ms, lock_timeout_ms, budget_time, breaker_rows, breaker_fraction)
VALUES
    ('uuid', 'app.clocks', '58aa69709ecc', 'Deletes rows of app.clocks whose key_uuid is older than 7 days.',
     ARRAY['ROUTINE retention.uuid_rows(retention.slice)', 'ROUTINE retention.uuid_take(retention.slice)']::text[],
     '{"ROUTINE retention.uuid_rows(retention.slice)":["retention_operator","retention_viewer"]}',
     '[{"cursor":[["t.key_uuid","uuid"],["t.id","bigint"]],"range":true,"bound":"t.key_uuid < retention._uuid_floor(retention._cutoff(($1).as_of, 0, 7, ''00:00:00'', ''UTC''))","filtered":true}]',
     ARRAY['app.clocks']::text[], ARRAY['app.clocks']::text[], ARRAY['DELETE app.clocks']::text[],
     jsonb_build_object('clock', '(t.key_uuid)::text', 'value', '(t.key_uuid)::text', 'from', 'FROM app.clocks t', 'no_clock', 't.key_uuid IS NULL', 'too_far', 't.key_uuid > retention._uuid_floor((($1).as_of + interval ''1 years''))', 'in_time', 't.key_uuid <= retention._uuid_floor((($1).as_of + interval ''1 years''))'),
     jsonb_build_array(jsonb_build_object('step', 1, 'verb', 'delete', 'table', 'app.clocks')), 50000, 50, 100,
     '10m0s', 5000000, 0.5);
SELECT retention._prove('uuid');

-- to drop it
SELECT retention._drop_policy('uuid');
