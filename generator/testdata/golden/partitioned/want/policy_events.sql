-- as owner
DELETE FROM retention.policy WHERE name = 'events';
INSERT INTO retention.policy
    (name, description, table_name, partitions, hash, definition, owns, passes, prepares, scope,
     window_own, window_at_least, window_at_most, restores, deletes, unguarded, related,
     changes, statement_deletes, reach, writes, sets, facts,
     batch_rows, batch_time_ms, lock_timeout_ms,
     budget_rows, budget_time, breaker_rows, breaker_fraction, busy, built_in)
VALUES
    ('events', '', 'app.event', false, '738797ee878a', 'Deletes rows of app.event whose at is older than 1 year.',
     ARRAY['ROUTINE retention.events_rows(retention.slice)', 'ROUTINE retention.events_take(retention.slice)', 'ROUTINE retention.events_preview(timestamp with time zone, bigint, jsonb, interval)']::text[],
     '[{"cursor":[["t.at","timestamptz"],["t.id","bigint"]],"range":true}]', false, ARRAY[]::text[],
     NULL, NULL, NULL, false, ARRAY['app.event']::text[], ARRAY[]::text[], ARRAY[]::text[],
     ARRAY['app.event']::text[], ARRAY[]::text[], ARRAY[]::text[],
     ARRAY['DELETE app.event']::text[], '[]',
     jsonb_build_object('clock', 't.at', 'value', 't.at', 'from', 'FROM app.event t', 'too_far', 't.at > (($1).as_of + interval ''1 years'')', 'in_time', 't.at <= (($1).as_of + interval ''1 years'')'),
     50000, 50, 100, NULL, '10m0s', 5000000, 0.5, 1, false);
SELECT retention._prove('events');

-- to drop it
SELECT retention._drop_policy('events');
