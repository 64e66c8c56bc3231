-- as owner
DELETE FROM retention.policy WHERE name = 'months';
INSERT INTO retention.policy
    (name, description, table_name, partitions, hash, definition, owns, grants, passes, prepares, scope,
     window_own, window_at_least, window_at_most, restores, deletes, unguarded, related,
     changes, statement_deletes, reach, writes, sets, facts, steps,
     batch_rows, batch_time_ms, lock_timeout_ms,
     budget_rows, budget_time, breaker_rows, breaker_fraction, busy)
VALUES
    ('months', '', 'app.event', true, '18ce8b6b2cd4', 'where name LIKE ''event_%''; Detaches partitions of app.event whose upper is older than 3 months.; keeps pending: EXISTS (SELECT FROM partition WHERE state = ''pending''); keeps newest: the first 2',
     ARRAY['ROUTINE retention.months_rows(retention.slice)', 'ROUTINE retention.months_partition(oid, text)', 'ROUTINE retention.months_take(retention.slice)']::text[],
     '{"ROUTINE retention.months_partition(oid, text)":["retention_owner"],"ROUTINE retention.months_rows(retention.slice)":["retention_operator","retention_viewer"]}',
     '[{}]', false, ARRAY[]::text[],
     NULL, NULL, NULL, NULL, ARRAY[]::text[], ARRAY[]::text[], ARRAY[]::text[],
     ARRAY['app.event']::text[], ARRAY[]::text[], ARRAY[]::text[],
     ARRAY[]::text[], '[]',
     jsonb_build_object('clock', 'd.upper', 'value', 't.upper', 'from', 'FROM app.event t', 'too_far', '(t.name LIKE ''event_%'') AND t.upper > retention._local_floor((($1).as_of + interval ''1 years''), ''UTC'', true)::date', 'in_time', '(t.name LIKE ''event_%'') AND t.upper <= retention._local_floor((($1).as_of + interval ''1 years''), ''UTC'', true)::date'),
     jsonb_build_array(jsonb_build_object('step', 1, 'verb', 'detach', 'table', 'app.event')),
     10, NULL, 100, NULL, '10m0s', 5000000, NULL, 1);
SELECT retention._prove('months');

-- to drop it
SELECT retention._drop_policy('months');
