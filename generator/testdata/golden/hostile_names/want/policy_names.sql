-- as owner
DELETE FROM retention.policy WHERE name = 'names';
INSERT INTO retention.policy
    (name, table_name, hash, definition, owns, grants, passes, deletes, related, changes, reach, writes, facts, steps,
     batch_rows, batch_time_ms, lock_timeout_ms, budget_time, breaker_rows, breaker_fraction)
VALUES
    ('names', 'Se"lect.order by. $function$ {{ .Tag }}', '03da40815975',
     'where "größe''; DROP TABLE x; --" IS NOT NULL AND "{{ . }}" AND t."a.b" > ''''; Deletes rows of Se"lect.order by. $function$ {{ .Tag }} whose a "quoted" column is older than 7 days.; keeps newest: the first 1',
     ARRAY['ROUTINE retention.names_rows(retention.slice)', 'ROUTINE retention.names_take(retention.slice)']::text[],
     '{"ROUTINE retention.names_rows(retention.slice)":["retention_operator","retention_viewer"]}',
     E'[{"cursor":[["t.\\"a \\"\\"quoted\\"\\" column\\"","timestamptz"],["t.\\"user\\"","bigint"],["t.\\"a.b\\"","text"]],"bound":"t.\\"a \\"\\"quoted\\"\\" column\\" < retention._cutoff(($1).as_of, 0, 7, ''00:00:00'', ''UTC'')","filtered":true}]',
     ARRAY['Se"lect.child', 'Se"lect.order by. $function$ {{ .Tag }}']::text[], ARRAY['Se"lect.child']::text[],
     ARRAY['Se"lect.order by. $function$ {{ .Tag }}', 'Se"lect.child']::text[], ARRAY['Se"lect.child']::text[],
     ARRAY['DELETE Se"lect.child', 'DELETE Se"lect.order by. $function$ {{ .Tag }}']::text[],
     jsonb_build_object('clock', 't."a ""quoted"" column"', 'value', 't."a ""quoted"" column"', 'from', 'FROM "Se""lect"."order by. $function$ {{ .Tag }}" t', 'too_far', '(t."größe''; DROP TABLE x; --" IS NOT NULL AND t."{{ . }}" AND t."a.b" > '''') AND t."a ""quoted"" column" > (($1).as_of + interval ''1 years'')', 'in_time', '(t."größe''; DROP TABLE x; --" IS NOT NULL AND t."{{ . }}" AND t."a.b" > '''') AND t."a ""quoted"" column" <= (($1).as_of + interval ''1 years'')'),
     jsonb_build_array(jsonb_build_object('step', 1, 'verb', 'delete', 'table', 'Se"lect.child', 'related', 'Se"lect.child', 'as', 'c', 'on', 'c."user" = t."user" AND c."a.b" = t."a.b"'),
         jsonb_build_object('step', 2, 'verb', 'delete', 'table', 'Se"lect.order by. $function$ {{ .Tag }}')),
     50000, 50, 100, '10m0s', 5000000, 0.5);
SELECT retention._prove('names');

-- to drop it
SELECT retention._drop_policy('names');
