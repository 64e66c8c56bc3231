-- as owner
DELETE FROM retention.policy WHERE name = 'tracked';
INSERT INTO retention.policy
    (name, table_name, hash, definition, owns, grants, passes, deletes, changes, writes, facts, steps, batch_rows,
     batch_time_ms, lock_timeout_ms, budget_time, breaker_rows, breaker_fraction)
VALUES
    ('tracked', 'app.tracked', 'a1636b090ebe', 'Deletes rows of app.tracked whose read_at is older than 30 days.',
     ARRAY['ROUTINE retention.tracked_rows(retention.slice)', 'ROUTINE retention.tracked_take(retention.slice)', 'ROUTINE retention.tracked_touch(text[])']::text[],
     '{"ROUTINE retention.tracked_rows(retention.slice)":["retention_operator","retention_viewer"],"ROUTINE retention.tracked_touch(text[])":["retention_operator","app"]}',
     '[{"cursor":[["t.read_at","timestamptz"],["t.slug","text"]],"range":true,"bound":"t.read_at < retention._cutoff(($1).as_of, 0, 30, ''00:00:00'', ''UTC'')"}]',
     ARRAY['app.tracked']::text[], ARRAY['app.tracked']::text[], ARRAY['DELETE app.tracked']::text[],
     jsonb_build_object('clock', 't.read_at', 'value', 't.read_at', 'from', 'FROM app.tracked t', 'too_far', 't.read_at > (($1).as_of + interval ''1 years'')', 'in_time', 't.read_at <= (($1).as_of + interval ''1 years'')'),
     jsonb_build_array(jsonb_build_object('step', 1, 'verb', 'delete', 'table', 'app.tracked')), 50000, 50, 100,
     '10m0s', 5000000, 0.5);
SELECT retention._prove('tracked');

-- to drop it
SELECT retention._drop_policy('tracked');
