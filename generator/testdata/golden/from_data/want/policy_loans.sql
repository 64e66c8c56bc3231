-- as owner
DELETE FROM retention.policy WHERE name = 'loans';
INSERT INTO retention.policy
    (name, description, table_name, partitions, hash, definition, owns, grants, passes, prepares, scope,
     window_own, window_at_least, window_at_most, restores, deletes, unguarded, related,
     changes, statement_deletes, reach, writes, sets, facts, steps,
     batch_rows, batch_time_ms, lock_timeout_ms,
     budget_rows, budget_time, breaker_rows, breaker_fraction, busy)
VALUES
    ('loans', '', 'app.loan', false, '49b01d483d80', 'Works off rows of app.loan by their id.',
     ARRAY['ROUTINE retention.loans_rows(retention.slice)', 'ROUTINE retention.loans_take(retention.slice)']::text[],
     '{"ROUTINE retention.loans_rows(retention.slice)":["retention_operator","retention_viewer"]}',
     '[{"cursor":[["t.id","bigint"]],"whole":true}]', false, ARRAY[]::text[],
     NULL, NULL, NULL, NULL, ARRAY[]::text[], ARRAY[]::text[], ARRAY[]::text[],
     ARRAY['app.rolled']::text[], ARRAY[]::text[], ARRAY[]::text[],
     ARRAY['INSERT app.attic', 'UPDATE app.rolled']::text[], '[{"step":0,"table":"app.rolled","set":{"id":null}}]',
     jsonb_build_object('clock', 't.id'),
     jsonb_build_array(jsonb_build_object('step', 1, 'verb', 'insert', 'table', 'app.attic'),
         jsonb_build_object('step', 2, 'verb', 'update', 'table', 'app.rolled', 'notes', jsonb_build_array('it says how far a run has come'), 'blind', true)),
     50000, 50, 100, NULL, '10m0s', 5000000, 0.5, 1);
SELECT retention._prove('loans');

-- to drop it
SELECT retention._drop_policy('loans');
