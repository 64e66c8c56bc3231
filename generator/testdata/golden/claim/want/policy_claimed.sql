-- as owner
DELETE FROM retention.policy WHERE name = 'claimed';
INSERT INTO retention.policy
    (name, table_name, hash, definition, owns, grants, passes, window_own, window_at_least, window_at_most, deletes,
     changes, writes, facts, steps, batch_rows, batch_time_ms, lock_timeout_ms, budget_time, breaker_rows,
     breaker_fraction)
VALUES
    ('claimed', 'app.claimed', '7494b3b3f89d', 'Deletes rows of app.claimed whose expires_at is past by 0 days.',
     ARRAY['ROUTINE retention.claimed_rows(retention.slice)', 'ROUTINE retention.claimed_take(retention.slice)', 'ROUTINE retention.claimed_claim(character varying, interval)', 'ROUTINE retention.claimed_claim(character varying[], interval)', 'ROUTINE retention.claimed_seen(character varying)', 'ROUTINE retention.claimed_seen(character varying[])', 'ROUTINE retention.claimed_advance(text, bigint, text)', 'ROUTINE retention.claimed_cursor(text)']::text[],
     '{"ROUTINE retention.claimed_advance(text, bigint, text)":["retention_operator","app","Big App"],"ROUTINE retention.claimed_claim(character varying, interval)":["retention_operator","app","Big App"],"ROUTINE retention.claimed_claim(character varying[], interval)":["retention_operator","app","Big App"],"ROUTINE retention.claimed_cursor(text)":["retention_operator","app","Big App"],"ROUTINE retention.claimed_rows(retention.slice)":["retention_operator","retention_viewer"],"ROUTINE retention.claimed_seen(character varying)":["retention_operator","app","Big App"],"ROUTINE retention.claimed_seen(character varying[])":["retention_operator","app","Big App"]}',
     '[{"cursor":[["t.expires_at","timestamptz"],["t.hash","character varying(66)"]],"range":true,"bound":"t.expires_at < retention._cutoff(($1).as_of, 0, 0, ''00:00:00'', ''UTC'')"}]',
     '0 months 0 days 00:15:00', '0 months 0 days 00:01:00', '0 months 1 days 00:00:00', ARRAY['app.claimed']::text[],
     ARRAY['app.claimed', 'app.marker']::text[], ARRAY['DELETE app.claimed']::text[],
     jsonb_build_object('clock', 't.expires_at', 'value', 't.expires_at', 'from', 'FROM app.claimed t', 'too_far', 't.expires_at > (($1).as_of + interval ''10 years'')', 'in_time', 't.expires_at <= (($1).as_of + interval ''10 years'')'),
     jsonb_build_array(jsonb_build_object('step', 1, 'verb', 'delete', 'table', 'app.claimed')), 50000, 50, 100,
     '10m0s', 5000000, 0.5);
SELECT retention._prove('claimed');

-- to drop it
SELECT retention._drop_policy('claimed');
