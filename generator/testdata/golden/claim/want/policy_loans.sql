-- as owner
DELETE FROM retention.policy WHERE name = 'loans';
INSERT INTO retention.policy
    (name, table_name, hash, definition, owns, grants, passes, deletes, changes, writes, facts, steps, batch_rows,
     batch_time_ms, lock_timeout_ms, budget_time, breaker_rows, breaker_fraction)
VALUES
    ('loans', 'app.loan', 'a54127074cc7',
     'Deletes rows of app.loan whose used_at is past by 0 days.; Deletes rows of app.loan whose clock is NULL.',
     ARRAY['ROUTINE retention.loans_rows(retention.slice)', 'ROUTINE retention.loans_take(retention.slice)', 'ROUTINE retention.loans_claim(bigint, interval)', 'ROUTINE retention.loans_claim(bigint[], interval)', 'ROUTINE retention.loans_seen(bigint)', 'ROUTINE retention.loans_seen(bigint[])']::text[],
     '{"ROUTINE retention.loans_claim(bigint, interval)":["retention_operator"],"ROUTINE retention.loans_claim(bigint[], interval)":["retention_operator"],"ROUTINE retention.loans_rows(retention.slice)":["retention_operator","retention_viewer"],"ROUTINE retention.loans_seen(bigint)":["retention_operator"],"ROUTINE retention.loans_seen(bigint[])":["retention_operator"]}',
     '[{"cursor":[["t.used_at","timestamptz"],["t.id","bigint"]],"bound":"t.used_at <= retention._cutoff(($1).as_of, 0, 0, ''00:00:00'', ''UTC'')"},{"cursor":[["t.id","bigint"]],"bound":"true"}]',
     ARRAY['app.loan']::text[], ARRAY['app.loan']::text[], ARRAY['DELETE app.loan']::text[],
     jsonb_build_object('clock', 't.used_at', 'value', 't.used_at', 'from', 'FROM app.loan t', 'too_far', 't.used_at > (($1).as_of + interval ''10 years'')', 'in_time', 't.used_at <= (($1).as_of + interval ''10 years'')'),
     jsonb_build_array(jsonb_build_object('step', 1, 'verb', 'delete', 'table', 'app.loan')), 50000, 50, 100, '10m0s',
     5000000, 0.5);
SELECT retention._prove('loans');

-- to drop it
SELECT retention._drop_policy('loans');
