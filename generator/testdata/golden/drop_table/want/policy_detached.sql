-- as owner
DELETE FROM retention.policy WHERE name = 'detached';
INSERT INTO retention.policy
    (name, description, table_name, partitions, hash, definition, owns, grants, passes, prepares, scope,
     window_own, window_at_least, window_at_most, restores, deletes, unguarded, related,
     changes, statement_deletes, reach, writes, sets, facts, steps,
     batch_rows, batch_time_ms, lock_timeout_ms,
     budget_rows, budget_time, breaker_rows, breaker_fraction, busy)
VALUES
    ('detached', '', 'app.detached', false, '294f5c86b698', 'Deletes rows of app.detached whose drop_after is past by 0 days.',
     ARRAY['ROUTINE retention.detached_rows(retention.slice)', 'ROUTINE retention.detached_take(retention.slice)', 'ROUTINE retention.detached_drop_table(oid)']::text[],
     '{"ROUTINE retention.detached_drop_table(oid)":["retention_owner"],"ROUTINE retention.detached_rows(retention.slice)":["retention_operator","retention_viewer"]}',
     '[{"cursor":[["t.drop_after","timestamptz"],["t.name","text"]]}]', false, ARRAY[]::text[],
     NULL, NULL, NULL, NULL, ARRAY['app.detached']::text[], ARRAY[]::text[], ARRAY[]::text[],
     ARRAY['app.detached']::text[], ARRAY[]::text[], ARRAY[]::text[],
     ARRAY['DELETE app.detached']::text[], '[]',
     jsonb_build_object('clock', 't.drop_after', 'value', 't.drop_after', 'from', 'FROM app.detached t', 'too_far', 't.drop_after > (($1).as_of + interval ''10 years'')', 'in_time', 't.drop_after <= (($1).as_of + interval ''10 years'')'),
     jsonb_build_array(jsonb_build_object('step', 1, 'verb', 'drop table', 'table', 'app.detached', 'name', 't.name'),
         jsonb_build_object('step', 2, 'verb', 'delete', 'table', 'app.detached')),
     10, NULL, 100, NULL, '10m0s', 5000000, 0.5, 1);
SELECT retention._prove('detached');

-- to drop it
SELECT retention._drop_policy('detached');
