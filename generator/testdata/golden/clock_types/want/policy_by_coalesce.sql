-- as owner
DELETE FROM retention.policy WHERE name = 'by_coalesce';
INSERT INTO retention.policy
    (name, description, table_name, partitions, hash, definition, owns, grants, passes, prepares, scope,
     window_own, window_at_least, window_at_most, restores, deletes, unguarded, related,
     changes, statement_deletes, reach, writes, sets, facts, steps,
     batch_rows, batch_time_ms, lock_timeout_ms,
     budget_rows, budget_time, breaker_rows, breaker_fraction, busy)
VALUES
    ('by_coalesce', '', 'app.clocks', false, '2b902ad03495', 'Deletes rows of app.clocks whose coalesce(t.read_at, edited_at) + interval ''1 day'' is older than 1 hour.',
     ARRAY['ROUTINE retention.by_coalesce_rows(retention.slice)', 'ROUTINE retention.by_coalesce_take(retention.slice)']::text[],
     '{"ROUTINE retention.by_coalesce_rows(retention.slice)":["retention_operator","retention_viewer"]}',
     '[{"cursor":[["t.id","bigint"]],"range":true}]', false, ARRAY[]::text[],
     NULL, NULL, NULL, NULL, ARRAY['app.clocks']::text[], ARRAY[]::text[], ARRAY[]::text[],
     ARRAY['app.clocks']::text[], ARRAY[]::text[], ARRAY[]::text[],
     ARRAY['DELETE app.clocks']::text[], '[]',
     jsonb_build_object('clock', '(coalesce(t.read_at, t.edited_at) + interval ''1 day'')', 'value', '(coalesce(t.read_at, t.edited_at) + interval ''1 day'')', 'from', 'FROM app.clocks t', 'no_clock', '(coalesce(t.read_at, t.edited_at) + interval ''1 day'') IS NULL', 'too_far', '(coalesce(t.read_at, t.edited_at) + interval ''1 day'') > (($1).as_of + interval ''1 years'')', 'in_time', '(coalesce(t.read_at, t.edited_at) + interval ''1 day'') <= (($1).as_of + interval ''1 years'')'),
     jsonb_build_array(jsonb_build_object('step', 1, 'verb', 'delete', 'table', 'app.clocks')),
     50000, 50, 100, NULL, '10m0s', 5000000, 0.5, 1);
SELECT retention._prove('by_coalesce');

-- to drop it
SELECT retention._drop_policy('by_coalesce');
