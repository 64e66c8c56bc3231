-- as owner
DELETE FROM retention.policy WHERE name = 'same_again';
INSERT INTO retention.policy
    (name, table_name, hash, definition, owns, grants, passes, deletes, changes, writes, facts, steps, batch_rows,
     batch_time_ms, lock_timeout_ms, budget_time, breaker_rows, breaker_fraction)
VALUES
    ('same_again', 'app.not_served', '1b003a16e63e', 'Deletes rows of app.not_served whose at is past by 0 days.',
     ARRAY['ROUTINE retention.same_again_rows(retention.slice)', 'ROUTINE retention.same_again_take(retention.slice)']::text[],
     '{"ROUTINE retention.same_again_rows(retention.slice)":["retention_operator","retention_viewer"]}',
     '[{"cursor":[["t.at","timestamptz"],["t.id","bigint"]],"range":true,"bound":"t.at < retention._cutoff(($1).as_of, 0, 0, ''00:00:00'', ''UTC'')"}]',
     ARRAY['app.not_served']::text[], ARRAY['app.not_served']::text[], ARRAY['DELETE app.not_served']::text[],
     jsonb_build_object('clock', 't.at', 'value', 't.at', 'from', 'FROM app.not_served t', 'no_clock', 't.at IS NULL', 'too_far', 't.at > (($1).as_of + interval ''10 years'')', 'in_time', 't.at <= (($1).as_of + interval ''10 years'')'),
     jsonb_build_array(jsonb_build_object('step', 1, 'verb', 'delete', 'table', 'app.not_served')), 50000, 50, 100,
     '10m0s', 5000000, 0.5);
SELECT retention._prove('same_again');

-- to drop it
SELECT retention._drop_policy('same_again');
