-- as owner
DELETE FROM retention.policy WHERE name = 'detached';
INSERT INTO retention.policy
    (name, table_name, hash, definition, owns, grants, passes, deletes, changes, writes, facts, steps, batch_rows,
     lock_timeout_ms, budget_time, breaker_rows, breaker_fraction)
VALUES
    ('detached', 'app.detached', '6f3070241fea', 'Deletes rows of app.detached whose drop_after is past by 0 days.',
     ARRAY['ROUTINE retention.detached_rows(retention.slice)', 'ROUTINE retention.detached_take(retention.slice)', 'ROUTINE retention.detached_drop_table(oid)']::text[],
     '{"ROUTINE retention.detached_drop_table(oid)":["retention_owner"],"ROUTINE retention.detached_rows(retention.slice)":["retention_operator","retention_viewer"]}',
     '[{"cursor":[["t.drop_after","timestamptz"],["t.name","text"]],"bound":"t.drop_after < retention._cutoff(($1).as_of, 0, 0, ''00:00:00'', ''UTC'')"}]',
     ARRAY['app.detached']::text[], ARRAY['app.detached']::text[], ARRAY['DELETE app.detached']::text[],
     jsonb_build_object('clock', 't.drop_after', 'value', 't.drop_after', 'from', 'FROM app.detached t', 'too_far', 't.drop_after > (($1).as_of + interval ''10 years'')', 'in_time', 't.drop_after <= (($1).as_of + interval ''10 years'')'),
     jsonb_build_array(jsonb_build_object('step', 1, 'verb', 'drop table', 'table', 'app.detached', 'name', 't.name'),
         jsonb_build_object('step', 2, 'verb', 'delete', 'table', 'app.detached')),
     10, 100, '10m0s', 5000000, 0.5);
SELECT retention._prove('detached');

-- to drop it
SELECT retention._drop_policy('detached');
