-- as owner
DELETE FROM retention.policy WHERE name = 'envelopes';
INSERT INTO retention.policy
    (name, table_name, hash, definition, owns, grants, passes, partitions, changes, facts, steps, batch_rows,
     lock_timeout_ms, budget_time, breaker_rows)
VALUES
    ('envelopes', 'app.envelope', '8472896288b4',
     'where NOT EXISTS (SELECT FROM partition p WHERE p.expires_at > as_of); Drops partitions of app.envelope past the first 1 per value.',
     ARRAY['ROUTINE retention.envelopes_rows(retention.slice)', 'ROUTINE retention.envelopes_partition(oid, text)', 'ROUTINE retention.envelopes_take(retention.slice)']::text[],
     '{"ROUTINE retention.envelopes_partition(oid, text)":["retention_owner"],"ROUTINE retention.envelopes_rows(retention.slice)":["retention_operator","retention_viewer"]}',
     '[{}]', true, ARRAY['app.envelope']::text[], jsonb_build_object('clock', 'd.upper'),
     jsonb_build_array(jsonb_build_object('step', 1, 'verb', 'drop', 'table', 'app.envelope')), 10, 100, '10m0s',
     5000000);
SELECT retention._prove('envelopes');

-- to drop it
SELECT retention._drop_policy('envelopes');
