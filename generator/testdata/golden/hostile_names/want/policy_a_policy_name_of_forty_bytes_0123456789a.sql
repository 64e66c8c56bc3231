-- as owner
INSERT INTO retention.policy
    (name, description, table_name, partitions, hash, definition, owns, passes, prepares, scope,
     window_own, window_at_least, window_at_most, restores, deletes, unguarded, related,
     changes, statement_deletes, reach, known_keys, writes, sets, facts,
     batch_rows, batch_time_ms, lock_timeout_ms,
     budget_rows, budget_time, breaker_rows, breaker_fraction, busy, built_in)
VALUES
    ('a_policy_name_of_forty_bytes_0123456789a', '', 'Se"lect.012345678901234567890123456789012345678901234567890123456789éa', false, '99b8b9d96192', 'Deletes rows of Se"lect.012345678901234567890123456789012345678901234567890123456789éa past the first 2 per "batch".; Deletes rows of Se"lect.012345678901234567890123456789012345678901234567890123456789éa whose t is older than 1 year past the first 9.',
     ARRAY['ROUTINE retention.a_policy_name_of_forty_bytes_0123456789a_groups(bigint, integer)', 'ROUTINE retention.a_policy_name_of_forty_bytes_0123456789a_batch(retention.batch_input)', 'ROUTINE retention.a_policy_name_of_forty_bytes_0123456789a_batch_2(retention.batch_input)', 'ROUTINE retention.a_policy_name_of_forty_bytes_0123456789a_rows(retention.slice)', 'ROUTINE retention.a_policy_name_of_forty_bytes_0123456789a_preview(timestamp with time zone, bigint, jsonb, interval)', 'ROUTINE retention.a_policy_name_of_forty_bytes_0123456789a_plan()']::text[],
     '[{"locked":"a_policy_name_of_forty_bytes_0123456789a_batch","groups":"a_policy_name_of_forty_bytes_0123456789a_groups"},{"locked":"a_policy_name_of_forty_bytes_0123456789a_batch_2"}]', false, ARRAY[]::text[],
     NULL, NULL, NULL, false, ARRAY['Se"lect.012345678901234567890123456789012345678901234567890123456789éa']::text[], ARRAY[]::text[], ARRAY[]::text[], ARRAY['Se"lect.012345678901234567890123456789012345678901234567890123456789éa']::text[], ARRAY[]::text[], ARRAY['Se"lect.012345678901234567890123456789012345678901234567890123456789éa']::text[], ARRAY['Se"lect.012345678901234567890123456789012345678901234567890123456789éa PRIMARY KEY (end)', 'Se"lect.012345678901234567890123456789012345678901234567890123456789éa(batch) -> Se"lect.012345678901234567890123456789012345678901234567890123456789éa(end) set null']::text[], ARRAY['DELETE Se"lect.012345678901234567890123456789012345678901234567890123456789éa']::text[], '[]', jsonb_build_object(),
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
SELECT retention._prove('a_policy_name_of_forty_bytes_0123456789a');

-- to drop it
SELECT retention._drop_policy('a_policy_name_of_forty_bytes_0123456789a');
