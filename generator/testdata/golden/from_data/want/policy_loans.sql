-- as owner
DELETE FROM retention.policy WHERE name = 'loans';
INSERT INTO retention.policy
    (name, table_name, hash, definition, owns, grants, passes, changes, writes, sets, facts, steps, batch_rows,
     batch_time_ms, lock_timeout_ms, budget_time, breaker_rows, breaker_fraction)
VALUES
    ('loans', 'app.loan', 'c62dd77a17f4', 'Works off rows of app.loan by their id.',
     ARRAY['ROUTINE retention.loans_rows(retention.slice)', 'ROUTINE retention.loans_take(retention.slice)']::text[],
     '{"ROUTINE retention.loans_rows(retention.slice)":["retention_operator","retention_viewer"]}',
     '[{"cursor":[["t.id","bigint"]],"bound":"t.id > (SELECT t.id FROM app.rolled t WHERE (t.what = ''loan''))","whole":true}]',
     ARRAY['app.rolled']::text[], ARRAY['INSERT app.attic', 'UPDATE app.rolled']::text[],
     '[{"step":0,"table":"app.rolled","set":{"id":null}}]', jsonb_build_object('clock', 't.id'),
     jsonb_build_array(jsonb_build_object('step', 1, 'verb', 'insert', 'table', 'app.attic'),
         jsonb_build_object('step', 2, 'verb', 'update', 'table', 'app.rolled', 'notes', jsonb_build_array('it says how far a run has come'), 'blind', true)),
     50000, 50, 100, '10m0s', 5000000, 0.5);
SELECT retention._prove('loans');

-- to drop it
SELECT retention._drop_policy('loans');
