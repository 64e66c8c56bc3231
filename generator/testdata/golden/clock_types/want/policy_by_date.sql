-- as owner
DELETE FROM retention.policy WHERE name = 'by_date';
INSERT INTO retention.policy
    (name, description, table_name, partitions, hash, definition, owns, grants, passes, prepares, scope,
     window_own, window_at_least, window_at_most, restores, deletes, unguarded, related,
     changes, statement_deletes, reach, writes, sets, facts, steps,
     batch_rows, batch_time_ms, lock_timeout_ms,
     budget_rows, budget_time, breaker_rows, breaker_fraction, busy)
VALUES
    ('by_date', '', 'app.clocks', false, '8a9ed786ad67', 'Deletes rows of app.clocks whose day is older than 1 month.',
     ARRAY['ROUTINE retention.by_date_rows(retention.slice)', 'ROUTINE retention.by_date_take(retention.slice)']::text[],
     '{"ROUTINE retention.by_date_rows(retention.slice)":["retention_operator","retention_viewer"]}',
     '[{"cursor":[["t.day","date"],["t.id","bigint"]],"range":true}]', false, ARRAY[]::text[],
     NULL, NULL, NULL, NULL, ARRAY['app.clocks']::text[], ARRAY[]::text[], ARRAY[]::text[],
     ARRAY['app.clocks']::text[], ARRAY[]::text[], ARRAY[]::text[],
     ARRAY['DELETE app.clocks']::text[], '[]',
     jsonb_build_object('clock', 't.day', 'value', 't.day', 'from', 'FROM app.clocks t', 'no_clock', 't.day IS NULL', 'too_far', 't.day > retention._local_floor((($1).as_of + interval ''1 years''), ''Europe/Berlin'', false)::date', 'in_time', 't.day <= retention._local_floor((($1).as_of + interval ''1 years''), ''Europe/Berlin'', false)::date'),
     jsonb_build_array(jsonb_build_object('step', 1, 'verb', 'delete', 'table', 'app.clocks')),
     50000, 50, 100, NULL, '10m0s', 5000000, 0.5, 1);
SELECT retention._prove('by_date');

-- to drop it
SELECT retention._drop_policy('by_date');
