-- as owner
DELETE FROM retention.policy WHERE name = 'loans';
INSERT INTO retention.policy
    (name, description, table_name, partitions, hash, definition, owns, passes, prepares, scope,
     window_own, window_at_least, window_at_most, restores, deletes, unguarded, related,
     changes, statement_deletes, reach, writes, sets, facts,
     batch_rows, batch_time_ms, lock_timeout_ms,
     budget_rows, budget_time, breaker_rows, breaker_fraction, busy, built_in)
VALUES
    ('loans', '', 'app.loan', false, 'd27158f4337c', 'Works off rows of app.loan by their id.',
     ARRAY['ROUTINE retention.loans_rows(retention.slice)', 'ROUTINE retention.loans_take(retention.slice)', 'ROUTINE retention.loans_preview(timestamp with time zone, bigint, jsonb, interval)']::text[],
     '[{"cursor":[["t.id","bigint"]],"whole":true}]', false, ARRAY[]::text[],
     NULL, NULL, NULL, false, ARRAY[]::text[], ARRAY[]::text[], ARRAY[]::text[],
     ARRAY['app.rolled']::text[], ARRAY[]::text[], ARRAY[]::text[],
     ARRAY['INSERT app.attic', 'UPDATE app.rolled']::text[], '[{"step":0,"table":"app.rolled","set":{"id":null}}]',
     jsonb_build_object('clock', 't.id'),
     50000, 50, 100, NULL, '10m0s', 5000000, 0.5, 1, false);
SELECT retention._prove('loans');

-- to drop it
SELECT retention._drop_policy('loans');
