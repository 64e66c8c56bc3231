-- as owner
DELETE FROM retention.policy WHERE name = 'a_policy_name_of_forty_bytes_0123456789a';
INSERT INTO retention.policy
    (name, table_name, hash, definition, owns, grants, passes, deletes, changes, reach, writes, steps, batch_rows,
     batch_time_ms, lock_timeout_ms, budget_time, breaker_rows, breaker_fraction)
VALUES
    ('a_policy_name_of_forty_bytes_0123456789a',
     'Se"lect.012345678901234567890123456789012345678901234567890123456789éa', 'd57ac5035eb2',
     'Deletes rows of Se"lect.012345678901234567890123456789012345678901234567890123456789éa past the first 2 per "batch".; Deletes rows of Se"lect.012345678901234567890123456789012345678901234567890123456789éa whose t is older than 1 year past the first 9.',
     ARRAY['ROUTINE retention.a_policy_name_of_forty_bytes_0123456789a_rows(retention.slice)', 'ROUTINE retention.a_policy_name_of_forty_bytes_0123456789a_groups(retention.slice)', 'ROUTINE retention.a_policy_name_of_forty_bytes_0123456789a_beyond(retention.slice)', 'ROUTINE retention.a_policy_name_of_forty_bytes_0123456789a_take(retention.slice)']::text[],
     '{"ROUTINE retention.a_policy_name_of_forty_bytes_0123456789a_rows(retention.slice)":["retention_operator","retention_viewer"]}',
     E'[{"ranked":true,"groups":"a_policy_name_of_forty_bytes_0123456789a_groups","beyond":"a_policy_name_of_forty_bytes_0123456789a_beyond"},{"cursor":[["t.t","timestamptz"],["t.\\"end\\"","bigint"]],"ranked":true,"bound":"t.t < retention._cutoff(($1).as_of, 12, 0, ''00:00:00'', ''UTC'')","filtered":true}]',
     ARRAY['Se"lect.012345678901234567890123456789012345678901234567890123456789éa']::text[],
     ARRAY['Se"lect.012345678901234567890123456789012345678901234567890123456789éa']::text[],
     ARRAY['Se"lect.012345678901234567890123456789012345678901234567890123456789éa']::text[],
     ARRAY['DELETE Se"lect.012345678901234567890123456789012345678901234567890123456789éa']::text[],
     jsonb_build_array(jsonb_build_object('step', 1, 'verb', 'delete', 'table', 'Se"lect.012345678901234567890123456789012345678901234567890123456789éa')),
     50000, 50, 100, '10m0s', 5000000, 0.5);
SELECT retention._prove('a_policy_name_of_forty_bytes_0123456789a');

-- to drop it
SELECT retention._drop_policy('a_policy_name_of_forty_bytes_0123456789a');
