-- as owner
INSERT INTO retention.policy
    (name, description, table_name, partitions, hash, definition, owns, passes, prepares, scope,
     window_own, window_at_least, window_at_most, restores, deletes, unguarded, related,
     changes, statement_deletes, reach, known_keys, writes, sets, facts,
     batch_rows, batch_time_ms, lock_timeout_ms,
     budget_rows, budget_time, breaker_rows, breaker_fraction, busy, built_in)
VALUES
    ('items', '', 'app.note', false, '8a70e6b781aa', 'Deletes rows of app.note whose made_at is older than days of coalesce(c.days, o.days).',
     ARRAY['TABLE retention.items_c', 'ROUTINE retention.items_batch(retention.batch_input)', 'ROUTINE retention.items_prepare(bigint)', 'ROUTINE retention.items_rows(retention.slice)', 'ROUTINE retention.items_preview(timestamp with time zone, bigint, jsonb, interval)', 'ROUTINE retention.items_plan()']::text[],
     '[{"locked":"items_batch"}]', true, ARRAY['owner_id']::text[],
     '0 months 30 days 00:00:00', '0 months 7 days 00:00:00', '0 months 365 days 00:00:00', false, ARRAY['app.note']::text[], ARRAY[]::text[], ARRAY[]::text[], ARRAY['app.note']::text[], ARRAY[]::text[], ARRAY[]::text[], ARRAY['app.note PRIMARY KEY (id)']::text[], ARRAY['DELETE app.note']::text[], '[]', jsonb_build_object('clock', 't.made_at', 'from', 'FROM app.note t LEFT JOIN app.owner o ON (o.id = t.owner_id) LEFT JOIN (SELECT kind, max(days) AS days FROM app.config WHERE ($1).as_of IS NOT NULL GROUP BY kind) c ON (c.kind = t.kind) CROSS JOIN LATERAL (SELECT (coalesce(c.days, o.days)) AS value) v_window_1_1', 'too_far', 't.made_at > (($1).as_of + interval ''1 years'')', 'in_time', 't.made_at <= (($1).as_of + interval ''1 years'')'),
     50000, 50, 100, NULL, '10m0s', 5000000, 0.5, 1, false)
ON CONFLICT (name) DO UPDATE SET
    description = excluded.description, table_name = excluded.table_name,
    partitions = excluded.partitions, hash = excluded.hash,
    definition = excluded.definition, owns = excluded.owns,
    passes = excluded.passes, report = false, prepares = excluded.prepares,
    scope = excluded.scope, window_own = excluded.window_own, window_at_least = excluded.window_at_least,
    window_at_most = excluded.window_at_most, restores = excluded.restores, deletes = excluded.deletes,
    unguarded = excluded.unguarded, related = excluded.related, changes = excluded.changes,
    statement_deletes = excluded.statement_deletes, reach = excluded.reach,
    known_keys = excluded.known_keys, writes = excluded.writes, sets = excluded.sets, facts = excluded.facts,
    batch_rows = excluded.batch_rows, batch_time_ms = excluded.batch_time_ms,
    lock_timeout_ms = excluded.lock_timeout_ms,
    budget_rows = excluded.budget_rows, budget_time = excluded.budget_time,
    breaker_rows = excluded.breaker_rows, breaker_fraction = excluded.breaker_fraction,
    busy = excluded.busy, built_in = excluded.built_in, installed_at = excluded.installed_at;
SELECT retention._prove('items');

-- to drop it
SELECT retention._drop_policy('items');
