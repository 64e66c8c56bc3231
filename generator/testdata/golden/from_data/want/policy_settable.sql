-- as owner
DELETE FROM retention.policy WHERE name = 'settable';
INSERT INTO retention.policy
    (name, table_name, hash, definition, owns, grants, passes, window_own, window_at_least, window_at_most, deletes,
     changes, writes, facts, steps, batch_rows, batch_time_ms, lock_timeout_ms, budget_time, breaker_rows,
     breaker_fraction)
VALUES
    ('settable', 'app.loan', '33b132e8593d', 'Deletes rows of app.loan whose used_at is older than 30 days.',
     ARRAY['ROUTINE retention.settable_rows(retention.slice)', 'ROUTINE retention.settable_take(retention.slice)']::text[],
     '{"ROUTINE retention.settable_rows(retention.slice)":["retention_operator","retention_viewer"]}',
     '[{"cursor":[["t.used_at","timestamptz"],["t.id","bigint"]],"range":true,"bound":"t.used_at < retention._cutoff_of(($1).as_of, coalesce(($1).older_than, ''0 months 30 days 00:00:00''), ''UTC'')"}]',
     '0 months 30 days 00:00:00', '0 months 1 days 00:00:00', '0 months 90 days 00:00:00', ARRAY['app.loan']::text[],
     ARRAY['app.loan']::text[], ARRAY['DELETE app.loan']::text[],
     jsonb_build_object('clock', 't.used_at', 'value', 't.used_at', 'from', 'FROM app.loan t', 'no_clock', 't.used_at IS NULL', 'too_far', 't.used_at > (($1).as_of + interval ''1 years'')', 'in_time', 't.used_at <= (($1).as_of + interval ''1 years'')'),
     jsonb_build_array(jsonb_build_object('step', 1, 'verb', 'delete', 'table', 'app.loan')), 50000, 50, 100, '10m0s',
     5000000, 0.5);
SELECT retention._prove('settable');

-- to drop it
SELECT retention._drop_policy('settable');
