-- as owner
DELETE FROM retention.policy WHERE name = 'long_names';
INSERT INTO retention.policy
    (name, table_name, hash, definition, owns, grants, passes, deletes, changes, reach, writes, facts, steps,
     batch_rows, batch_time_ms, lock_timeout_ms, budget_time, breaker_rows, breaker_fraction)
VALUES
    ('long_names', 'Se"lect.012345678901234567890123456789012345678901234567890123456789éa', '85010af2e984',
     'Deletes rows of Se"lect.012345678901234567890123456789012345678901234567890123456789éa whose t is older than 7 days.',
     ARRAY['ROUTINE retention.long_names_rows(retention.slice)', 'ROUTINE retention.long_names_take(retention.slice)']::text[],
     '{"ROUTINE retention.long_names_rows(retention.slice)":["retention_operator","retention_viewer"]}',
     E'[{"cursor":[["t.t","timestamptz"],["t.\\"end\\"","bigint"]],"range":true,"bound":"t.t < retention._cutoff(($1).as_of, 0, 7, ''00:00:00'', ''UTC'')"}]',
     ARRAY['Se"lect.012345678901234567890123456789012345678901234567890123456789éa']::text[],
     ARRAY['Se"lect.012345678901234567890123456789012345678901234567890123456789éa']::text[],
     ARRAY['Se"lect.012345678901234567890123456789012345678901234567890123456789éa']::text[],
     ARRAY['DELETE Se"lect.012345678901234567890123456789012345678901234567890123456789éa']::text[],
     jsonb_build_object('clock', 't.t', 'value', 't.t', 'from', 'FROM "Se""lect"."012345678901234567890123456789012345678901234567890123456789éa" t', 'too_far', 't.t > (($1).as_of + interval ''1 years'')', 'in_time', 't.t <= (($1).as_of + interval ''1 years'')'),
     jsonb_build_array(jsonb_build_object('step', 1, 'verb', 'delete', 'table', 'Se"lect.012345678901234567890123456789012345678901234567890123456789éa')),
     50000, 50, 100, '10m0s', 5000000, 0.5);
SELECT retention._prove('long_names');

-- to drop it
SELECT retention._drop_policy('long_names');
