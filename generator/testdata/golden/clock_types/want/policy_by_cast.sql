-- as owner
DELETE FROM retention.policy WHERE name = 'by_cast';
INSERT INTO retention.policy
    (name, table_name, hash, definition, owns, grants, passes, deletes, changes, writes, facts, steps, batch_rows,
     batch_time_ms, lock_timeout_ms, budget_time, breaker_rows, breaker_fraction)
VALUES
    ('by_cast', 'app.clocks', '07f5e6d4ee02',
     'Deletes rows of app.clocks whose (key_text || ''-01'')::timestamptz is older than 1 hour.',
     ARRAY['ROUTINE retention.by_cast_rows(retention.slice)', 'ROUTINE retention.by_cast_take(retention.slice)']::text[],
     '{"ROUTINE retention.by_cast_rows(retention.slice)":["retention_operator","retention_viewer"]}',
     '[{"cursor":[["t.id","bigint"]],"range":true,"bound":"true"}]', ARRAY['app.clocks']::text[],
     ARRAY['app.clocks']::text[], ARRAY['DELETE app.clocks']::text[],
     jsonb_build_object('clock', '((t.key_text || ''-01'')::timestamptz)', 'value', '((t.key_text || ''-01'')::timestamptz)', 'from', 'FROM app.clocks t', 'no_clock', '((t.key_text || ''-01'')::timestamptz) IS NULL', 'too_far', '((t.key_text || ''-01'')::timestamptz) > (($1).as_of + interval ''1 years'')', 'in_time', '((t.key_text || ''-01'')::timestamptz) <= (($1).as_of + interval ''1 years'')'),
     jsonb_build_array(jsonb_build_object('step', 1, 'verb', 'delete', 'table', 'app.clocks')), 50000, 50, 100,
     '10m0s', 5000000, 0.5);
SELECT retention._prove('by_cast');

-- to drop it
SELECT retention._drop_policy('by_cast');
