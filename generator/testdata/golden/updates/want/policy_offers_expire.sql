-- as owner
DELETE FROM retention.policy WHERE name = 'offers_expire';
INSERT INTO retention.policy
    (name, table_name, hash, definition, owns, grants, passes, changes, writes, sets, facts, steps, batch_rows,
     batch_time_ms, lock_timeout_ms, budget_time, breaker_rows, breaker_fraction)
VALUES
    ('offers_expire', 'app.note', '0e1bed00926d',
     'where state IS DISTINCT FROM ''expired''; Updates rows of app.note whose expires_at is past by 0 days.',
     ARRAY['ROUTINE retention.offers_expire_rows(retention.slice)', 'ROUTINE retention.offers_expire_take(retention.slice)']::text[],
     '{"ROUTINE retention.offers_expire_rows(retention.slice)":["retention_operator","retention_viewer"]}',
     '[{"cursor":[["t.expires_at","timestamptz"],["t.id","bigint"]],"range":true,"bound":"t.expires_at < retention._cutoff(($1).as_of, 0, 0, ''00:00:00'', ''UTC'')","filtered":true}]',
     ARRAY['app.note']::text[], ARRAY['UPDATE app.note']::text[],
     '[{"step":1,"table":"app.note","set":{"seen_at":"as_of","state":"''expired''"}}]',
     jsonb_build_object('clock', 't.expires_at', 'value', 't.expires_at', 'from', 'FROM app.note t', 'no_clock', '(t.state IS DISTINCT FROM ''expired'') AND t.expires_at IS NULL', 'too_far', '(t.state IS DISTINCT FROM ''expired'') AND t.expires_at > (($1).as_of + interval ''10 years'')', 'in_time', '(t.state IS DISTINCT FROM ''expired'') AND t.expires_at <= (($1).as_of + interval ''10 years'')'),
     jsonb_build_array(jsonb_build_object('step', 1, 'verb', 'update', 'table', 'app.note', 'differs', '(t.state IS DISTINCT FROM (''expired'') OR t.seen_at IS DISTINCT FROM (($1).as_of))')),
     50000, 50, 100, '10m0s', 5000000, 0.5);
SELECT retention._prove('offers_expire');

-- to drop it
SELECT retention._drop_policy('offers_expire');
