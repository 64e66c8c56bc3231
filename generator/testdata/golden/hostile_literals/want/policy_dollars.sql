-- as owner
INSERT INTO retention.policy
    (name, description, table_name, partitions, hash, definition, owns, passes, prepares, scope,
     window_own, window_at_least, window_at_most, restores, deletes, unguarded, related,
     changes, statement_deletes, reach, known_keys, writes, sets, facts,
     batch_rows, batch_time_ms, lock_timeout_ms,
     budget_rows, budget_time, breaker_rows, breaker_fraction, busy, built_in)
VALUES
    ('dollars', '', 'app.note', false, 'bc43bda07a33', 'where kind <> ''$$ $function$ $function1$''; Deletes rows of app.note whose made_at is older than 1 day.',
     ARRAY['ROUTINE retention.dollars_batch(retention.batch_input)', 'ROUTINE retention.dollars_batch_locked(retention.batch_input)', 'ROUTINE retention.dollars_rows(retention.slice)', 'ROUTINE retention.dollars_preview(timestamp with time zone, bigint, jsonb, interval)', 'ROUTINE retention.dollars_plan()']::text[],
     '[{"range":"dollars_batch","locked":"dollars_batch_locked"}]', false, ARRAY[]::text[],
     NULL, NULL, NULL, false, ARRAY['app.note']::text[], ARRAY[]::text[], ARRAY[]::text[], ARRAY['app.note']::text[], ARRAY[]::text[], ARRAY[]::text[], ARRAY['app.note PRIMARY KEY (id)']::text[], ARRAY['DELETE app.note']::text[], '[]', jsonb_build_object('clock', 't.made_at', 'from', 'FROM app.note t', 'too_far', '(t.kind <> ''$$ $function$ $function1$'') AND t.made_at > (($1).as_of + interval ''1 years'')', 'in_time', '(t.kind <> ''$$ $function$ $function1$'') AND t.made_at <= (($1).as_of + interval ''1 years'')'),
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
SELECT retention._prove('dollars');

-- to drop it
SELECT retention._drop_policy('dollars');
