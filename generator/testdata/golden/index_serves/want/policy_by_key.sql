-- as owner
DELETE FROM retention.policy WHERE name = 'by_key';
INSERT INTO retention.policy
    (name, table_name, hash, definition, owns, grants, passes, deletes, changes, writes, steps, batch_rows,
     batch_time_ms, lock_timeout_ms, budget_time, breaker_rows, breaker_fraction)
VALUES
    ('by_key', 'app.served', '583eb4ca442c', 'where true; Deletes rows of app.served.',
     ARRAY['ROUTINE retention.by_key_rows(retention.slice)', 'ROUTINE retention.by_key_take(retention.slice)']::text[],
     '{"ROUTINE retention.by_key_rows(retention.slice)":["retention_operator","retention_viewer"]}',
     '[{"cursor":[["t.id","bigint"]],"range":true,"bound":"true"}]', ARRAY['app.served']::text[],
     ARRAY['app.served']::text[], ARRAY['DELETE app.served']::text[],
     jsonb_build_array(jsonb_build_object('step', 1, 'verb', 'delete', 'table', 'app.served')), 50000, 50, 100,
     '10m0s', 5000000, 0.5);
SELECT retention._prove('by_key');

-- to drop it
SELECT retention._drop_policy('by_key');
