-- as owner
DELETE FROM retention.policy WHERE name = 'ulid';
INSERT INTO retention.policy
    (name, description, table_name, partitions, hash, definition, owns, grants, passes, prepares, scope,
     window_own, window_at_least, window_at_most, restores, deletes, unguarded, related,
     changes, statement_deletes, reach, writes, sets, facts, steps,
     batch_rows, batch_time_ms, lock_timeout_ms,
     budget_rows, budget_time, breaker_rows, breaker_fraction, busy)
VALUES
    ('ulid', '', 'app.clocks', false, 'eb2430e23c54', 'Deletes rows of app.clocks whose ulid_uuid is older than 7 days.',
     ARRAY['ROUTINE retention.ulid_rows(retention.slice)', 'ROUTINE retention.ulid_take(retention.slice)']::text[],
     '{"ROUTINE retention.ulid_rows(retention.slice)":["retention_operator","retention_viewer"]}',
     '[{"cursor":[["t.ulid_uuid","uuid"],["t.id","bigint"]],"range":true}]', false, ARRAY[]::text[],
     NULL, NULL, NULL, NULL, ARRAY['app.clocks']::text[], ARRAY[]::text[], ARRAY[]::text[],
     ARRAY['app.clocks']::text[], ARRAY[]::text[], ARRAY[]::text[],
     ARRAY['DELETE app.clocks']::text[], '[]',
     jsonb_build_object('clock', '(t.ulid_uuid)::text', 'value', '(t.ulid_uuid)::text', 'from', 'FROM app.clocks t', 'no_clock', 't.ulid_uuid IS NULL', 'too_far', 't.ulid_uuid > retention._uuid_floor((($1).as_of + interval ''1 years''))', 'in_time', 't.ulid_uuid <= retention._uuid_floor((($1).as_of + interval ''1 years''))'),
     jsonb_build_array(jsonb_build_object('step', 1, 'verb', 'delete', 'table', 'app.clocks')),
     50000, 50, 100, NULL, '10m0s', 5000000, 0.5, 1);
SELECT retention._prove('ulid');

-- to drop it
SELECT retention._drop_policy('ulid');
