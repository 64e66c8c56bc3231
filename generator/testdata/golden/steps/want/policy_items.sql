-- as owner
DELETE FROM retention.policy WHERE name = 'items';
INSERT INTO retention.policy
    (name, description, table_name, partitions, hash, definition, owns, passes, prepares, scope,
     window_own, window_at_least, window_at_most, restores, deletes, unguarded, related,
     changes, statement_deletes, reach, writes, sets, facts,
     batch_rows, batch_time_ms, lock_timeout_ms,
     budget_rows, budget_time, breaker_rows, breaker_fraction, busy, built_in)
VALUES
    ('items', '', 'app.item', false, '40cfe7f05114', 'Deletes rows of app.item whose at is older than 90 days.',
     ARRAY['ROUTINE retention.items_rows(retention.slice)', 'ROUTINE retention.items_take(retention.slice)', 'ROUTINE retention.items_preview(timestamp with time zone, bigint, jsonb, interval)', 'ROUTINE retention.items_related(oid[], tid[], timestamp with time zone)']::text[],
     '[{"cursor":[["t.at","timestamptz"],["t.id","bigint"]]}]', false, ARRAY[]::text[],
     NULL, NULL, NULL, false, ARRAY['app.loan', 'app.item', 'app.blob']::text[], ARRAY[]::text[], ARRAY['app.loan', 'app.blob']::text[],
     ARRAY['app.item', 'app.loan', 'app.blob']::text[], ARRAY[]::text[], ARRAY['app.item', 'app.tag_link', 'app.tag_vote', 'app.mention', 'app.copy']::text[],
     ARRAY['DELETE app.blob', 'DELETE app.item', 'DELETE app.loan']::text[], '[]',
     jsonb_build_object('clock', 't.at', 'value', 't.at', 'from', 'FROM app.item t', 'too_far', 't.at > (($1).as_of + interval ''1 years'')', 'in_time', 't.at <= (($1).as_of + interval ''1 years'')'),
     50000, 50, 100, NULL, '10m0s', 5000000, 0.5, 1, false);
SELECT retention._prove('items');

-- to drop it
SELECT retention._drop_policy('items');
