-- as owner
INSERT INTO retention.policy
    (name, description, table_name, partitions, hash, definition, owns, passes, prepares, scope,
     window_own, window_at_least, window_at_most, restores, deletes, unguarded, related,
     changes, statement_deletes, reach, known_keys, writes, sets, facts,
     batch_rows, batch_time_ms, lock_timeout_ms,
     budget_rows, budget_time, breaker_rows, breaker_fraction, busy, built_in)
VALUES
    ('claimed', '', 'app.claimed', false, '9b4a4bef2461', 'Deletes rows of app.claimed whose expires_at is past by 0 days.',
     ARRAY['ROUTINE retention.claimed_batch(retention.batch_input)', 'ROUTINE retention.claimed_batch_locked(retention.batch_input)', 'ROUTINE retention.claimed_rows(retention.slice)', 'ROUTINE retention.claimed_preview(timestamp with time zone, bigint, jsonb, interval)', 'ROUTINE retention.claimed_plan()', 'ROUTINE retention.claimed_claim(character varying, interval)', 'ROUTINE retention.claimed_claim(character varying[], interval)', 'ROUTINE retention.claimed_seen(character varying)', 'ROUTINE retention.claimed_seen(character varying[])', 'ROUTINE retention.claimed_advance(text, bigint, text)', 'ROUTINE retention.claimed_cursor(text)']::text[],
     '[{"range":"claimed_batch","locked":"claimed_batch_locked"}]', false, ARRAY[]::text[],
     '0 months 0 days 00:15:00', '0 months 0 days 00:01:00', '0 months 1 days 00:00:00', false, ARRAY['app.claimed']::text[], ARRAY[]::text[], ARRAY[]::text[], ARRAY['app.claimed', 'app.marker']::text[], ARRAY[]::text[], ARRAY[]::text[], ARRAY['app.claimed PRIMARY KEY (hash)']::text[], ARRAY['DELETE app.claimed']::text[], '[]', jsonb_build_object('clock', 't.expires_at', 'from', 'FROM app.claimed t', 'too_far', 't.expires_at > (($1).as_of + interval ''10 years'')', 'in_time', 't.expires_at <= (($1).as_of + interval ''10 years'')'),
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
SELECT retention._prove('claimed');

-- to drop it
SELECT retention._drop_policy('claimed');
