-- as owner
DELETE FROM retention.policy WHERE name = 'months';
INSERT INTO retention.policy
    (name, table_name, hash, definition, owns, grants, passes, partitions, changes, facts, steps, batch_rows,
     lock_timeout_ms, budget_time, breaker_rows)
VALUES
    ('months', 'app.event', '27d7c35c9d7b',
     'where name LIKE ''event_%''; Detaches partitions of app.event whose upper is older than 3 months.; keeps pending: EXISTS (SELECT FROM partition WHERE state = ''pending''); keeps newest: the first 2',
     ARRAY['ROUTINE retention.months_rows(retention.slice)', 'ROUTINE retention.months_partition(oid, text)', 'ROUTINE retention.months_take(retention.slice)']::text[],
     '{"ROUTINE retention.months_partition(oid, text)":["retention_owner"],"ROUTINE retention.months_rows(retention.slice)":["retention_operator","retention_viewer"]}',
     '[{}]', true, ARRAY['app.event']::text[],
     jsonb_build_object('clock', 'd.upper', 'value', 't.upper', 'from', 'FROM app.event t', 'too_far', '(t.name LIKE ''event_%'') AND t.upper > retention._local_floor((($1).as_of + interval ''1 years''), ''UTC'', true)::date', 'in_time', '(t.name LIKE ''event_%'') AND t.upper <= retention._local_floor((($1).as_of + interval ''1 years''), ''UTC'', true)::date'),
     jsonb_build_array(jsonb_build_object('step', 1, 'verb', 'detach', 'table', 'app.event')), 10, 100, '10m0s',
     5000000);
SELECT retention._prove('months');

-- to drop it
SELECT retention._drop_policy('months');
