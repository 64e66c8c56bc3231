-- as owner
DELETE FROM retention.policy WHERE name = 'offers_rotate';
INSERT INTO retention.policy
    (name, table_name, hash, definition, owns, grants, passes, changes, writes, sets, facts, steps, batch_rows,
     batch_time_ms, lock_timeout_ms, budget_time, breaker_rows, breaker_fraction)
VALUES
    ('offers_rotate', 'app.note', 'c24ac9924886', 'Updates rows of app.note whose expires_at is past by 0 days.',
     ARRAY['ROUTINE retention.offers_rotate_rows(retention.slice)', 'ROUTINE retention.offers_rotate_take(retention.slice)']::text[],
     '{"ROUTINE retention.offers_rotate_rows(retention.slice)":["retention_operator","retention_viewer"]}',
     '[{"cursor":[["t.id","bigint"]],"bound":"true"}]', ARRAY['app.note']::text[], ARRAY['UPDATE app.note']::text[],
     '[{"step":1,"table":"app.note","set":{"expires_at":null}}]',
     jsonb_build_object('clock', 't.expires_at', 'value', 't.expires_at', 'from', 'FROM app.note t', 'no_clock', 't.expires_at IS NULL', 'too_far', 't.expires_at > (($1).as_of + interval ''10 years'')', 'in_time', 't.expires_at <= (($1).as_of + interval ''10 years'')'),
     jsonb_build_array(jsonb_build_object('step', 1, 'verb', 'update', 'table', 'app.note', 'differs', 't.expires_at IS DISTINCT FROM (($1).as_of + interval ''1 month'')')),
     50000, 50, 100, '10m0s', 5000000, 0.5);
SELECT retention._prove('offers_rotate');

-- to drop it
SELECT retention._drop_policy('offers_rotate');
