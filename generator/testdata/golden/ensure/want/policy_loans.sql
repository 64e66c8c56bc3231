-- as owner
DELETE FROM retention.policy WHERE name = 'loans';
INSERT INTO retention.policy
    (name, description, table_name, partitions, hash, definition, owns, passes, prepares, scope,
     window_own, window_at_least, window_at_most, restores, deletes, unguarded, related,
     changes, statement_deletes, reach, writes, sets, facts,
     batch_rows, batch_time_ms, lock_timeout_ms,
     budget_rows, budget_time, breaker_rows, breaker_fraction, busy, built_in)
VALUES
    ('loans', '', 'app.loan', false, '668830b92709', 'Deletes rows of app.loan whose created_at is older than 7 days.',
     ARRAY['ROUTINE retention.loans_rows(retention.slice)', 'ROUTINE retention.loans_take(retention.slice)', 'ROUTINE retention.loans_preview(timestamp with time zone, bigint, jsonb, interval)']::text[],
     '[{"cursor":[["t.created_at","timestamp"],["t.id","bigint"]],"range":true}]', false, ARRAY[]::text[],
     NULL, NULL, NULL, false, ARRAY['app.loan']::text[], ARRAY[]::text[], ARRAY[]::text[],
     ARRAY['app.loan']::text[], ARRAY[]::text[], ARRAY[]::text[],
     ARRAY['DELETE app.loan']::text[], '[]',
     jsonb_build_object('clock', 't.created_at', 'value', 't.created_at', 'from', 'FROM app.loan t', 'no_clock', 't.created_at IS NULL', 'too_far', 't.created_at > retention._local_floor((($1).as_of + interval ''1 years''), ''UTC'', false)', 'in_time', 't.created_at <= retention._local_floor((($1).as_of + interval ''1 years''), ''UTC'', false)'),
     50000, 50, 100, NULL, '10m0s', 5000000, 0.5, 1, false);
SELECT retention._prove('loans');

-- to drop it
SELECT retention._drop_policy('loans');
