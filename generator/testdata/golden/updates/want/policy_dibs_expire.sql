-- as owner
INSERT INTO retention.policy
    (name, description, table_name, partitions, hash, definition, owns, passes, prepares, scope,
     window_own, window_at_least, window_at_most, restores, deletes, unguarded, related,
     changes, statement_deletes, reach, known_keys, writes, sets, facts,
     batch_rows, batch_time_ms, lock_timeout_ms,
     budget_rows, budget_time, breaker_rows, breaker_fraction, busy, built_in)
VALUES
    ('dibs_expire', '', 'app.note', false, 'a8014e4f2343', 'where NOT starred; Updates rows of app.note whose expires_at is past by 0 days.',
     ARRAY['ROUTINE retention.dibs_expire_batch(retention.batch_input)', 'ROUTINE retention.dibs_expire_rows(retention.slice)', 'ROUTINE retention.dibs_expire_preview(timestamp with time zone, bigint, jsonb, interval)', 'ROUTINE retention.dibs_expire_plan()', 'ROUTINE retention.dibs_expire_restore(bigint, timestamp with time zone)']::text[],
     '[{"locked":"dibs_expire_batch"}]', false, ARRAY[]::text[],
     NULL, NULL, NULL, true, ARRAY[]::text[], ARRAY[]::text[], ARRAY['app.loan', 'app.owner']::text[], ARRAY['app.note', 'app.loan', 'app.owner']::text[], ARRAY[]::text[], ARRAY[]::text[], ARRAY['app.loan PRIMARY KEY (id)', 'app.note PRIMARY KEY (id)', 'app.owner PRIMARY KEY (id)']::text[], ARRAY['UPDATE app.loan', 'UPDATE app.note', 'UPDATE app.owner']::text[], '[{"step":1,"table":"app.note","set":{"starred":"true"}},{"step":2,"table":"app.loan","set":{"used_at":"NULL"}},{"step":3,"table":"app.owner","set":{"days":null}}]', jsonb_build_object('clock', 't.expires_at', 'from', 'FROM app.note t', 'no_clock', '(NOT t.starred) AND t.expires_at IS NULL', 'too_far', '(NOT t.starred) AND t.expires_at > (($1).as_of + interval ''10 years'')', 'in_time', '(NOT t.starred) AND t.expires_at <= (($1).as_of + interval ''10 years'')'),
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
SELECT retention._prove('dibs_expire');

-- to drop it
SELECT retention._drop_policy('dibs_expire');
