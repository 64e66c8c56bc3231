-- as owner
DELETE FROM retention.policy WHERE name = 'envelopes';
INSERT INTO retention.policy
    (name, description, table_name, partitions, hash, definition, owns, grants, passes, prepares, scope,
     window_own, window_at_least, window_at_most, restores, deletes, unguarded, related,
     changes, statement_deletes, reach, writes, sets, facts, steps,
     batch_rows, batch_time_ms, lock_timeout_ms,
     budget_rows, budget_time, breaker_rows, breaker_fraction, busy)
VALUES
    ('envelopes', '', 'app.envelope', true, '2cb7a7824f52', 'where NOT EXISTS (SELECT FROM partition p WHERE p.expires_at > as_of); Drops partitions of app.envelope past the first 1 per value.',
     ARRAY['ROUTINE retention.envelopes_rows(retention.slice)', 'ROUTINE retention.envelopes_partition(oid, text)', 'ROUTINE retention.envelopes_take(retention.slice)']::text[],
     '{"ROUTINE retention.envelopes_partition(oid, text)":["retention_owner"],"ROUTINE retention.envelopes_rows(retention.slice)":["retention_operator","retention_viewer"]}',
     '[{}]', false, ARRAY[]::text[],
     NULL, NULL, NULL, NULL, ARRAY[]::text[], ARRAY[]::text[], ARRAY[]::text[],
     ARRAY['app.envelope']::text[], ARRAY[]::text[], ARRAY[]::text[],
     ARRAY[]::text[], '[]',
     jsonb_build_object('clock', 'd.upper'),
     jsonb_build_array(jsonb_build_object('step', 1, 'verb', 'drop', 'table', 'app.envelope')),
     10, NULL, 100, NULL, '10m0s', 5000000, NULL, 1);
SELECT retention._prove('envelopes');

-- to drop it
SELECT retention._drop_policy('envelopes');
