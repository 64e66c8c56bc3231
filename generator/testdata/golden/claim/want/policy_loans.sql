-- as owner
DELETE FROM retention.policy WHERE name = 'loans';
INSERT INTO retention.policy
    (name, description, table_name, partitions, hash, definition, owns, grants, passes, prepares, scope,
     window_own, window_at_least, window_at_most, restores, deletes, unguarded, related,
     changes, statement_deletes, reach, writes, sets, facts, steps,
     batch_rows, batch_time_ms, lock_timeout_ms,
     budget_rows, budget_time, breaker_rows, breaker_fraction, busy)
VALUES
    ('loans', '', 'app.loan', false, 'cc450ec35c0d', 'Deletes rows of app.loan whose used_at is past by 0 days.; Deletes rows of app.loan whose clock is NULL.',
     ARRAY['ROUTINE retention.loans_rows(retention.slice)', 'ROUTINE retention.loans_take(retention.slice)', 'ROUTINE retention.loans_claim(bigint, interval)', 'ROUTINE retention.loans_claim(bigint[], interval)', 'ROUTINE retention.loans_seen(bigint)', 'ROUTINE retention.loans_seen(bigint[])']::text[],
     '{"ROUTINE retention.loans_claim(bigint, interval)":["retention_operator"],"ROUTINE retention.loans_claim(bigint[], interval)":["retention_operator"],"ROUTINE retention.loans_rows(retention.slice)":["retention_operator","retention_viewer"],"ROUTINE retention.loans_seen(bigint)":["retention_operator"],"ROUTINE retention.loans_seen(bigint[])":["retention_operator"]}',
     '[{"cursor":[["t.used_at","timestamptz"],["t.id","bigint"]]},{"cursor":[["t.id","bigint"]]}]', false, ARRAY[]::text[],
     NULL, NULL, NULL, NULL, ARRAY['app.loan']::text[], ARRAY[]::text[], ARRAY[]::text[],
     ARRAY['app.loan']::text[], ARRAY[]::text[], ARRAY[]::text[],
     ARRAY['DELETE app.loan']::text[], '[]',
     jsonb_build_object('clock', 't.used_at', 'value', 't.used_at', 'from', 'FROM app.loan t', 'too_far', 't.used_at > (($1).as_of + interval ''10 years'')', 'in_time', 't.used_at <= (($1).as_of + interval ''10 years'')'),
     jsonb_build_array(jsonb_build_object('step', 1, 'verb', 'delete', 'table', 'app.loan')),
     50000, 50, 100, NULL, '10m0s', 5000000, 0.5, 1);
SELECT retention._prove('loans');

-- to drop it
SELECT retention._drop_policy('loans');
