-- as owner
INSERT INTO retention.policy
    (name, description, table_name, partitions, hash, definition, owns, passes, prepares, scope,
     window_own, window_at_least, window_at_most, restores, deletes, unguarded, related,
     changes, statement_deletes, reach, known_keys, writes, sets, facts,
     batch_rows, batch_time_ms, lock_timeout_ms,
     budget_rows, budget_time, breaker_rows, breaker_fraction, busy, built_in)
VALUES
    ('items', '', 'app.item', false, '086027161e88', 'Deletes rows of app.item whose at is older than 90 days.',
     ARRAY['ROUTINE retention.items_batch(retention.batch_input)', 'ROUTINE retention.items_rows(retention.slice)', 'ROUTINE retention.items_preview(timestamp with time zone, bigint, jsonb, interval)', 'ROUTINE retention.items_plan()']::text[],
     '[{"locked":"items_batch"}]', false, ARRAY[]::text[],
     NULL, NULL, NULL, false, ARRAY['app.loan', 'app.item', 'app.blob']::text[], ARRAY[]::text[], ARRAY['app.loan', 'app.blob']::text[], ARRAY['app.item', 'app.loan', 'app.blob']::text[], ARRAY[]::text[], ARRAY['app.item', 'app.tag_link', 'app.tag_vote', 'app.mention', 'app.copy']::text[], ARRAY['app.blob PRIMARY KEY (id)', 'app.copy PRIMARY KEY (id)', 'app.copy(blob_id) -> app.blob(id) cascade', 'app.item PRIMARY KEY (id)', 'app.item(parent_id) -> app.item(id) cascade', 'app.loan PRIMARY KEY (id)', 'app.mention PRIMARY KEY (id)', 'app.mention(item_id) -> app.item(id) set null', 'app.tag_link PRIMARY KEY (item_id, tag)', 'app.tag_link(item_id) -> app.item(id) cascade', 'app.tag_vote PRIMARY KEY (id)', 'app.tag_vote(item_id, tag) -> app.tag_link(item_id, tag) cascade']::text[], ARRAY['DELETE app.blob', 'DELETE app.item', 'DELETE app.loan']::text[], '[]', jsonb_build_object('clock', 't.at', 'from', 'FROM app.item t', 'too_far', 't.at > (($1).as_of + interval ''1 years'')', 'in_time', 't.at <= (($1).as_of + interval ''1 years'')'),
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
