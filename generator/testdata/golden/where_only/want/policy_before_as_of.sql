-- as owner
DELETE FROM retention.policy WHERE name = 'before_as_of';
INSERT INTO retention.policy
    (name, table_name, hash, definition, owns, grants, passes, deletes, changes, writes, steps, batch_rows,
     batch_time_ms, lock_timeout_ms, budget_time, breaker_rows, breaker_fraction)
VALUES
    ('before_as_of', 'app.note', '22071bf31147',
     'where made_at < as_of - interval ''1 day'' AND lower(kind) = ''draft''; Deletes rows of app.note.',
     ARRAY['ROUTINE retention.before_as_of_rows(retention.slice)', 'ROUTINE retention.before_as_of_take(retention.slice)']::text[],
     '{"ROUTINE retention.before_as_of_rows(retention.slice)":["retention_operator","retention_viewer"]}',
     '[{"cursor":[["t.id","bigint"]],"range":true,"bound":"true"}]', ARRAY['app.note']::text[],
     ARRAY['app.note']::text[], ARRAY['DELETE app.note']::text[],
     jsonb_build_array(jsonb_build_object('step', 1, 'verb', 'delete', 'table', 'app.note')), 50000, 50, 100, '10m0s',
     5000000, 0.5);
SELECT retention._prove('before_as_of');

-- to drop it
SELECT retention._drop_policy('before_as_of');
