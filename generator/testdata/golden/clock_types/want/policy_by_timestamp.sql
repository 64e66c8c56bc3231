-- as owner
DELETE FROM retention.policy WHERE name = 'by_timestamp';
INSERT INTO retention.policy
    (name, table_name, hash, definition, owns, grants, passes, deletes, changes, writes, facts, steps, batch_rows,
     batch_time_ms, lock_timeout_ms, budget_time, breaker_rows, breaker_fraction)
VALUES
    ('by_timestamp', 'app.clocks', 'cf22b12e5a51', 'Deletes rows of app.clocks whose at is older than 1 day.',
     ARRAY['ROUTINE retention.by_timestamp_rows(retention.slice)', 'ROUTINE retention.by_timestamp_take(retention.slice)']::text[],
     '{"ROUTINE retention.by_timestamp_rows(retention.slice)":["retention_operator","retention_viewer"]}',
     '[{"cursor":[["t.at","timestamp"],["t.id","bigint"]],"range":true,"bound":"t.at < retention._local_floor(retention._cutoff(($1).as_of, 0, 1, ''00:00:00'', ''Europe/Berlin''), ''Europe/Berlin'', false)"}]',
     ARRAY['app.clocks']::text[], ARRAY['app.clocks']::text[], ARRAY['DELETE app.clocks']::text[],
     jsonb_build_object('clock', 't.at', 'value', 't.at', 'from', 'FROM app.clocks t', 'no_clock', 't.at IS NULL', 'too_far', 't.at > retention._local_floor((($1).as_of + interval ''1 years''), ''Europe/Berlin'', false)', 'in_time', 't.at <= retention._local_floor((($1).as_of + interval ''1 years''), ''Europe/Berlin'', false)'),
     jsonb_build_array(jsonb_build_object('step', 1, 'verb', 'delete', 'table', 'app.clocks')), 50000, 50, 100,
     '10m0s', 5000000, 0.5);
SELECT retention._prove('by_timestamp');

-- to drop it
SELECT retention._drop_policy('by_timestamp');
