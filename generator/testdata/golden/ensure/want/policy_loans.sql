-- as owner
DELETE FROM retention.policy WHERE name = 'loans';
INSERT INTO retention.policy
    (name, table_name, hash, definition, owns, grants, passes, deletes, changes, writes, facts, steps, batch_rows,
     batch_time_ms, lock_timeout_ms, budget_time, breaker_rows, breaker_fraction)
VALUES
    ('loans', 'app.loan', 'c0febaa7b5b6', 'Deletes rows of app.loan whose created_at is older than 7 days.',
     ARRAY['ROUTINE retention.loans_rows(retention.slice)', 'ROUTINE retention.loans_take(retention.slice)']::text[],
     '{"ROUTINE retention.loans_rows(retention.slice)":["retention_operator","retention_viewer"]}',
     '[{"cursor":[["t.created_at","timestamp"],["t.id","bigint"]],"range":true,"bound":"t.created_at < retention._local_floor(retention._cutoff(($1).as_of, 0, 7, ''00:00:00'', ''UTC''), ''UTC'', false)"}]',
     ARRAY['app.loan']::text[], ARRAY['app.loan']::text[], ARRAY['DELETE app.loan']::text[],
     jsonb_build_object('clock', 't.created_at', 'value', 't.created_at', 'from', 'FROM app.loan t', 'no_clock', 't.created_at IS NULL', 'too_far', 't.created_at > retention._local_floor((($1).as_of + interval ''1 years''), ''UTC'', false)', 'in_time', 't.created_at <= retention._local_floor((($1).as_of + interval ''1 years''), ''UTC'', false)'),
     jsonb_build_array(jsonb_build_object('step', 1, 'verb', 'delete', 'table', 'app.loan')), 50000, 50, 100, '10m0s',
     5000000, 0.5);
SELECT retention._prove('loans');

-- to drop it
SELECT retention._drop_policy('loans');
