-- as owner
DELETE FROM retention.policy WHERE name = 'in_own_words';
INSERT INTO retention.policy
    (name, table_name, hash, definition, owns, grants, passes, deletes, changes, writes, facts, steps, batch_rows,
     batch_time_ms, lock_timeout_ms, budget_time, breaker_rows, breaker_fraction)
VALUES
    ('in_own_words', 'app.loan', '23f2aa60f481', 'Deletes rows of app.loan whose used_at is older than 7 days.',
     ARRAY['ROUTINE retention.in_own_words_rows(retention.slice)', 'ROUTINE retention.in_own_words_take(retention.slice)']::text[],
     '{"ROUTINE retention.in_own_words_rows(retention.slice)":["retention_operator","retention_viewer"]}',
     '[{"cursor":[["t.used_at","timestamptz"],["t.id","bigint"]],"bound":"t.used_at < retention._cutoff(($1).as_of, 0, 7, ''00:00:00'', ''UTC'')"}]',
     ARRAY['app.loan']::text[], ARRAY['app.loan']::text[], ARRAY['DELETE app.loan', 'INSERT app.attic']::text[],
     jsonb_build_object('clock', 't.used_at', 'value', 't.used_at', 'from', 'FROM app.loan t', 'no_clock', 't.used_at IS NULL', 'too_far', 't.used_at > (($1).as_of + interval ''1 years'')', 'in_time', 't.used_at <= (($1).as_of + interval ''1 years'')'),
     jsonb_build_array(jsonb_build_object('step', 1, 'verb', 'sql', 'table', 'app.attic', 'notes', jsonb_build_array('a statement in the policy''s own words'), 'blind', true),
         jsonb_build_object('step', 2, 'verb', 'delete', 'table', 'app.loan')),
     50000, 50, 100, '10m0s', 5000000, 0.5);
SELECT retention._prove('in_own_words');

-- to drop it
SELECT retention._drop_policy('in_own_words');
