-- as owner
DELETE FROM retention.policy WHERE name = 'ulid';
INSERT INTO retention.policy
    (name, table_name, hash, definition, owns, grants, passes, deletes, changes, writes, facts, steps, batch_rows,
     batch_time_ms, lock_timeout_ms, budget_time, breaker_rows, breaker_fraction)
VALUES
    ('ulid', 'app.clocks', 'f57823df65b7', 'Deletes rows of app.clocks whose ulid_uuid is older than 7 days.',
     ARRAY['ROUTINE retention.ulid_rows(retention.slice)', 'ROUTINE retention.ulid_take(retention.slice)']::text[],
     '{"ROUTINE retention.ulid_rows(retention.slice)":["retention_operator","retention_viewer"]}',
     '[{"cursor":[["t.ulid_uuid","uuid"],["t.id","bigint"]],"range":true,"bound":"t.ulid_uuid < retention._uuid_floor(retention._cutoff(($1).as_of, 0, 7, ''00:00:00'', ''UTC''))"}]',
     ARRAY['app.clocks']::text[], ARRAY['app.clocks']::text[], ARRAY['DELETE app.clocks']::text[],
     jsonb_build_object('clock', '(t.ulid_uuid)::text', 'value', '(t.ulid_uuid)::text', 'from', 'FROM app.clocks t', 'no_clock', 't.ulid_uuid IS NULL', 'too_far', 't.ulid_uuid > retention._uuid_floor((($1).as_of + interval ''1 years''))', 'in_time', 't.ulid_uuid <= retention._uuid_floor((($1).as_of + interval ''1 years''))'),
     jsonb_build_array(jsonb_build_object('step', 1, 'verb', 'delete', 'table', 'app.clocks')), 50000, 50, 100,
     '10m0s', 5000000, 0.5);
SELECT retention._prove('ulid');

-- to drop it
SELECT retention._drop_policy('ulid');
