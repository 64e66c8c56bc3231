-- as owner
DELETE FROM retention.policy WHERE name = 'by_coalesce';
INSERT INTO retention.policy
    (name, table_name, hash, definition, owns, grants, passes, deletes, changes, writes, facts, steps, batch_rows,
     batch_time_ms, lock_timeout_ms, budget_time, breaker_rows, breaker_fraction)
VALUES
    ('by_coalesce', 'app.clocks', 'a4e4c01a515d',
     'Deletes rows of app.clocks whose coalesce(t.read_at, edited_at) + interval ''1 day'' is older than 1 hour.',
     ARRAY['ROUTINE retention.by_coalesce_rows(retention.slice)', 'ROUTINE retention.by_coalesce_take(retention.slice)']::text[],
     '{"ROUTINE retention.by_coalesce_rows(retention.slice)":["retention_operator","retention_viewer"]}',
     '[{"cursor":[["t.id","bigint"]],"range":true,"bound":"true"}]', ARRAY['app.clocks']::text[],
     ARRAY['app.clocks']::text[], ARRAY['DELETE app.clocks']::text[],
     jsonb_build_object('clock', '(coalesce(t.read_at, t.edited_at) + interval ''1 day'')', 'value', '(coalesce(t.read_at, t.edited_at) + interval ''1 day'')', 'from', 'FROM app.clocks t', 'no_clock', '(coalesce(t.read_at, t.edited_at) + interval ''1 day'') IS NULL', 'too_far', '(coalesce(t.read_at, t.edited_at) + interval ''1 day'') > (($1).as_of + interval ''1 years'')', 'in_time', '(coalesce(t.read_at, t.edited_at) + interval ''1 day'') <= (($1).as_of + interval ''1 years'')'),
     jsonb_build_array(jsonb_build_object('step', 1, 'verb', 'delete', 'table', 'app.clocks')), 50000, 50, 100,
     '10m0s', 5000000, 0.5);
SELECT retention._prove('by_coalesce');

-- to drop it
SELECT retention._drop_policy('by_coalesce');
