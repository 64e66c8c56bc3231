-- as owner
DELETE FROM retention.policy WHERE name = 'orphans';
INSERT INTO retention.policy
    (name, description, table_name, partitions, hash, definition, owns, passes, prepares, scope,
     window_own, window_at_least, window_at_most, restores, deletes, unguarded, related,
     changes, statement_deletes, reach, writes, sets, facts,
     batch_rows, batch_time_ms, lock_timeout_ms,
     budget_rows, budget_time, breaker_rows, breaker_fraction, busy, built_in)
VALUES
    ('orphans', '', 'app.note', false, '47fe918f9895', 'where NOT EXISTS (SELECT FROM app.owner o WHERE o.id = t.owner_id); Deletes rows of app.note.',
     ARRAY['ROUTINE retention.orphans_rows(retention.slice)', 'ROUTINE retention.orphans_take(retention.slice)', 'ROUTINE retention.orphans_preview(timestamp with time zone, bigint, jsonb, interval)']::text[],
     '[{"cursor":[["t.id","bigint"]]}]', false, ARRAY[]::text[],
     NULL, NULL, NULL, false, ARRAY['app.note']::text[], ARRAY[]::text[], ARRAY[]::text[],
     ARRAY['app.note']::text[], ARRAY[]::text[], ARRAY[]::text[],
     ARRAY['DELETE app.note']::text[], '[]',
     jsonb_build_object(),
     50000, 50, 100, NULL, '10m0s', 5000000, 0.5, 1, false);
SELECT retention._prove('orphans');

-- to drop it
SELECT retention._drop_policy('orphans');
