-- as owner
INSERT INTO retention.policy
    (name, description, table_name, partitions, hash, definition, owns, passes, prepares, scope,
     window_own, window_at_least, window_at_most, restores, deletes, unguarded, related,
     changes, statement_deletes, reach, known_keys, writes, sets, facts,
     batch_rows, batch_time_ms, lock_timeout_ms,
     budget_rows, budget_time, breaker_rows, breaker_fraction, busy, built_in)
VALUES
    ('months', '', 'app.event', true, '75ba90c28315', 'where name LIKE ''event_%''; Detaches partitions of app.event whose upper is older than 3 months.; keeps pending: EXISTS (SELECT FROM partition WHERE state = ''pending''); keeps newest: the first 2',
     ARRAY['ROUTINE retention.months_partition(oid, text)', 'ROUTINE retention.months_batch(retention.batch_input)', 'ROUTINE retention.months_rows(retention.slice)', 'ROUTINE retention.months_preview(timestamp with time zone, bigint, jsonb, interval)']::text[],
     '[{"locked":"months_batch"}]', false, ARRAY[]::text[],
     NULL, NULL, NULL, false, ARRAY[]::text[], ARRAY[]::text[], ARRAY[]::text[], ARRAY['app.event']::text[], ARRAY[]::text[], ARRAY[]::text[], ARRAY['app.event PRIMARY KEY (id, at)']::text[], ARRAY[]::text[], '[]', jsonb_build_object('clock', 'd.upper', 'from', 'FROM app.event t', 'too_far', '(t.name LIKE ''event_%'') AND t.upper > retention._local_floor((($1).as_of + interval ''1 years''), ''UTC'', true)::date', 'in_time', '(t.name LIKE ''event_%'') AND t.upper <= retention._local_floor((($1).as_of + interval ''1 years''), ''UTC'', true)::date'),
     10, NULL, 100, NULL, '10m0s', 5000000, NULL, 1, false)
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
SELECT retention._prove('months');

-- to drop it
SELECT retention._drop_policy('months');
