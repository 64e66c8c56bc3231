-- as owner
DELETE FROM retention.policy WHERE name = 'by_date';
INSERT INTO retention.policy
    (name, table_name, hash, definition, owns, grants, passes, deletes, changes, writes, facts, steps, batch_rows,
     batch_time_ms, lock_timeout_ms, budget_time, breaker_rows, breaker_fraction)
VALUES
    ('by_date', 'app.clocks', 'ad5aeefd8283', 'Deletes rows of app.clocks whose day is older than 1 month.',
     ARRAY['ROUTINE retention.by_date_rows(retention.slice)', 'ROUTINE retention.by_date_take(retention.slice)']::text[],
     '{"ROUTINE retention.by_date_rows(retention.slice)":["retention_operator","retention_viewer"]}',
     '[{"cursor":[["t.day","date"],["t.id","bigint"]],"range":true,"bound":"t.day < retention._local_floor(retention._cutoff(($1).as_of, 1, 0, ''00:00:00'', ''Europe/Berlin''), ''Europe/Berlin'', false)::date"}]',
     ARRAY['app.clocks']::text[], ARRAY['app.clocks']::text[], ARRAY['DELETE app.clocks']::text[],
     jsonb_build_object('clock', 't.day', 'value', 't.day', 'from', 'FROM app.clocks t', 'no_clock', 't.day IS NULL', 'too_far', 't.day > retention._local_floor((($1).as_of + interval ''1 years''), ''Europe/Berlin'', false)::date', 'in_time', 't.day <= retention._local_floor((($1).as_of + interval ''1 years''), ''Europe/Berlin'', false)::date'),
     jsonb_build_array(jsonb_build_object('step', 1, 'verb', 'delete', 'table', 'app.clocks')), 50000, 50, 100,
     '10m0s', 5000000, 0.5);
SELECT retention._prove('by_date');

-- to drop it
SELECT retention._drop_policy('by_date');
