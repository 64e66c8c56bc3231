-- as owner
DELETE FROM retention.policy WHERE name = 'orphans';
INSERT INTO retention.policy
    (name, table_name, hash, definition, owns, grants, passes, deletes, changes, writes, steps, batch_rows,
     batch_time_ms, lock_timeout_ms, budget_time, breaker_rows, breaker_fraction)
VALUES
    ('orphans', 'app.note', '9d5b443bd880',
     'where NOT EXISTS (SELECT FROM app.owner o WHERE o.id = t.owner_id); Deletes rows of app.note.',
     ARRAY['ROUTINE retention.orphans_rows(retention.slice)', 'ROUTINE retention.orphans_take(retention.slice)']::text[],
     '{"ROUTINE retention.orphans_rows(retention.slice)":["retention_operator","retention_viewer"]}',
     '[{"cursor":[["t.id","bigint"]],"bound":"true"}]', ARRAY['app.note']::text[], ARRAY['app.note']::text[],
     ARRAY['DELETE app.note']::text[],
     jsonb_build_array(jsonb_build_object('step', 1, 'verb', 'delete', 'table', 'app.note')), 50000, 50, 100, '10m0s',
     5000000, 0.5);
SELECT retention._prove('orphans');

-- to drop it
SELECT retention._drop_policy('orphans');
