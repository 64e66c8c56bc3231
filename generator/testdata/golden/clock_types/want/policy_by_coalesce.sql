-- as owner
DELETE FROM retention.policy WHERE name = 'by_coalesce';
INSERT INTO retention.policy
    (name, description, table_name, partitions, hash, definition, owns, passes, prepares, scope,
     window_own, window_at_least, window_at_most, restores, deletes, unguarded, related,
     changes, statement_deletes, reach, writes, sets, facts,
     batch_rows, batch_time_ms, lock_timeout_ms,
     budget_rows, budget_time, breaker_rows, breaker_fraction, busy, built_in)
VALUES
    ('by_coalesce', '', 'app.clocks', false, '2bf3c2585b21', 'Deletes rows of app.clocks whose coalesce(t.read_at, edited_at) + interval ''1 day'' is older than 1 hour.',
     ARRAY['ROUTINE retention.by_coalesce_rows(retention.slice)', 'ROUTINE retention.by_coalesce_take(retention.slice)', 'ROUTINE retention.by_coalesce_preview(timestamp with time zone, bigint, jsonb, interval)']::text[],
     '[{"cursor":[["t.id","bigint"]],"range":true}]', false, ARRAY[]::text[],
     NULL, NULL, NULL, false, ARRAY['app.clocks']::text[], ARRAY[]::text[], ARRAY[]::text[],
     ARRAY['app.clocks']::text[], ARRAY[]::text[], ARRAY[]::text[],
     ARRAY['DELETE app.clocks']::text[], '[]',
     jsonb_build_object('clock', '(coalesce(t.read_at, t.edited_at) + interval ''1 day'')', 'value', '(coalesce(t.read_at, t.edited_at) + interval ''1 day'')', 'from', 'FROM app.clocks t', 'no_clock', '(coalesce(t.read_at, t.edited_at) + interval ''1 day'') IS NULL', 'too_far', '(coalesce(t.read_at, t.edited_at) + interval ''1 day'') > (($1).as_of + interval ''1 years'')', 'in_time', '(coalesce(t.read_at, t.edited_at) + interval ''1 day'') <= (($1).as_of + interval ''1 years'')'),
     50000, 50, 100, NULL, '10m0s', 5000000, 0.5, 1, false);
SELECT retention._prove('by_coalesce');

-- to drop it
SELECT retention._drop_policy('by_coalesce');
