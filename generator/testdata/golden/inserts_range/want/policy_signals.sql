-- as owner
DELETE FROM retention.policy WHERE name = 'signals';
INSERT INTO retention.policy
    (name, description, table_name, partitions, hash, definition, owns, passes, prepares, scope,
     window_own, window_at_least, window_at_most, restores, deletes, unguarded, related,
     changes, statement_deletes, reach, writes, sets, facts,
     batch_rows, batch_time_ms, lock_timeout_ms,
     budget_rows, budget_time, breaker_rows, breaker_fraction, busy, built_in)
VALUES
    ('signals', '', 'app.note', false, 'b7e28a211b69', 'Deletes rows of app.note whose made_at is older than 7 days.',
     ARRAY['ROUTINE retention.signals_rows(retention.slice)', 'ROUTINE retention.signals_take(retention.slice)', 'ROUTINE retention.signals_preview(timestamp with time zone, bigint, jsonb, interval)', 'ROUTINE retention.signals_restore(bigint, timestamp with time zone)']::text[],
     '[{"cursor":[["t.made_at","timestamptz"],["t.id","bigint"]],"range":true}]', false, ARRAY[]::text[],
     NULL, NULL, NULL, true, ARRAY['app.note']::text[], ARRAY[]::text[], ARRAY[]::text[],
     ARRAY['app.note']::text[], ARRAY[]::text[], ARRAY[]::text[],
     ARRAY['DELETE app.note', 'INSERT app.daily', 'INSERT app.old_note', 'UPDATE app.daily']::text[], '[{"step":1,"table":"app.daily","set":{"at":null,"last_kind":null,"n":null,"top":null}}]',
     jsonb_build_object('clock', 't.made_at', 'value', 't.made_at', 'from', 'FROM app.note t', 'too_far', 't.made_at > (($1).as_of + interval ''1 years'')', 'in_time', 't.made_at <= (($1).as_of + interval ''1 years'')', 'archives', jsonb_build_object('app.old_note', 'run_id')),
     50000, 50, 100, NULL, '10m0s', 5000000, 0.5, 1, false);
SELECT retention._prove('signals');

-- to drop it
SELECT retention._drop_policy('signals');
