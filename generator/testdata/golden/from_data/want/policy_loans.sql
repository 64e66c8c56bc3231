-- as owner
INSERT INTO retention.policy
    (name, description, table_name, partitions, hash, definition, passes, prepares, scope,
     window_own, window_at_least, window_at_most, restores, deletes, unguarded, related,
     changes, statement_deletes, reach, known_keys, writes, sets, facts,
     batch_rows, lock_timeout_ms, budget_rows, budget_time, breaker_rows, breaker_fraction, busy, built_in)
VALUES
    ('loans', '', 'app.loan', false, '415fa6af392b', 'Works off rows of app.loan by their id.',
     '[{"locked":"loans_batch","whole":true}]', false, ARRAY[]::text[],
     NULL, NULL, NULL, false, ARRAY[]::text[], ARRAY[]::text[], ARRAY[]::text[], ARRAY['app.rolled']::text[], ARRAY[]::text[], ARRAY[]::text[], ARRAY['app.loan PRIMARY KEY (id)']::text[], ARRAY['INSERT app.attic', 'UPDATE app.rolled']::text[], '[{"step":0,"table":"app.rolled","set":{"id":null}}]', jsonb_build_object('clock', 't.id'),
     5000, 100, NULL, '10m0s', 5000000, 0.5, 1, false)
ON CONFLICT (name) DO UPDATE SET
    description = excluded.description, table_name = excluded.table_name,
    partitions = excluded.partitions, hash = excluded.hash,
    definition = excluded.definition, passes = excluded.passes, report = false, prepares = excluded.prepares,
    scope = excluded.scope, window_own = excluded.window_own, window_at_least = excluded.window_at_least,
    window_at_most = excluded.window_at_most, restores = excluded.restores, deletes = excluded.deletes,
    unguarded = excluded.unguarded, related = excluded.related, changes = excluded.changes,
    statement_deletes = excluded.statement_deletes, reach = excluded.reach,
    known_keys = excluded.known_keys, writes = excluded.writes, sets = excluded.sets, facts = excluded.facts,
    batch_rows = excluded.batch_rows, lock_timeout_ms = excluded.lock_timeout_ms,
    budget_rows = excluded.budget_rows, budget_time = excluded.budget_time,
    breaker_rows = excluded.breaker_rows, breaker_fraction = excluded.breaker_fraction,
    busy = excluded.busy, built_in = excluded.built_in, installed_at = excluded.installed_at;
SELECT retention._prove('loans');

-- to drop it
SELECT retention._change_setting(s.policy, s.name, NULL, 'the policy was dropped')
FROM retention.setting s WHERE s.policy = 'loans';
DELETE FROM retention.policy WHERE name = 'loans';
