-- as owner
DELETE FROM retention.policy WHERE name = 'served';
INSERT INTO retention.policy
    (name, table_name, hash, definition, owns, grants, passes, deletes, changes, writes, facts, steps, batch_rows,
     batch_time_ms, lock_timeout_ms, budget_time, breaker_rows, breaker_fraction)
VALUES
    ('served', 'app.served', 'f3d2046a554e', 'Deletes rows of app.served whose at is older than 30 days.',
     ARRAY['ROUTINE retention.served_rows(retention.slice)', 'ROUTINE retention.served_take(retention.slice)', 'ROUTINE retention.served_touch(bigint[])']::text[],
     '{"ROUTINE retention.served_rows(retention.slice)":["retention_operator","retention_viewer"],"ROUTINE retention.served_touch(bigint[])":["retention_operator"]}',
     '[{"cursor":[["t.at","timestamptz"],["t.id","bigint"]],"range":true,"bound":"t.at < retention._cutoff(($1).as_of, 0, 30, ''00:00:00'', ''UTC'')"}]',
     ARRAY['app.served']::text[], ARRAY['app.served']::text[], ARRAY['DELETE app.served']::text[],
     jsonb_build_object('clock', 't.at', 'value', 't.at', 'from', 'FROM app.served t', 'too_far', 't.at > (($1).as_of + interval ''1 years'')', 'in_time', 't.at <= (($1).as_of + interval ''1 years'')'),
     jsonb_build_array(jsonb_build_object('step', 1, 'verb', 'delete', 'table', 'app.served')), 50000, 50, 100,
     '10m0s', 5000000, 0.5);
SELECT retention._prove('served');

-- to drop it
SELECT retention._drop_policy('served');
