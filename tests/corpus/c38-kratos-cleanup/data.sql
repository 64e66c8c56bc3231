CREATE FUNCTION id(n bigint) RETURNS uuid LANGUAGE sql IMMUTABLE RETURN lpad(to_hex(n), 32, '0')::uuid;

INSERT INTO networks VALUES ('8f6e3c1a-0000-4000-8000-000000000001'), ('8f6e3c1a-0000-4000-8000-000000000002');
INSERT INTO identities SELECT id(row_number() OVER (ORDER BY id)), id FROM networks;

-- In each network rows around the bound, and of login flows 250 that have long expired.
CREATE TEMP TABLE sample AS
SELECT row_number() OVER (ORDER BY n.id, off) AS k, n.id AS nid, (:as_of AT TIME ZONE 'UTC') - interval '7 days' - off AS expires_at
FROM networks n, (VALUES (interval '0'), ('0.000001 s'), ('-0.000001 s'), ('90 days'), ('-7 days'), ('-8 days')) v(off);

INSERT INTO sessions SELECT id(100 + k), s.nid, i.id, expires_at FROM sample s JOIN identities i ON i.nid = s.nid;
INSERT INTO session_devices SELECT id(200 + row_number() OVER (ORDER BY id)), id FROM sessions;
INSERT INTO continuity_containers SELECT id(k), nid, expires_at FROM sample;
INSERT INTO selfservice_recovery_flows SELECT id(300 + k), nid, expires_at FROM sample;
INSERT INTO identity_recovery_codes SELECT id(400 + row_number() OVER (ORDER BY id)), id FROM selfservice_recovery_flows;
INSERT INTO selfservice_registration_flows SELECT id(k), nid, expires_at FROM sample;
INSERT INTO selfservice_settings_flows SELECT id(k), s.nid, i.id, expires_at FROM sample s JOIN identities i ON i.nid = s.nid;
INSERT INTO selfservice_verification_flows SELECT id(k), nid, expires_at FROM sample;
INSERT INTO session_token_exchanges SELECT id(k), nid, expires_at FROM sample;
INSERT INTO selfservice_login_flows SELECT id(k), nid, expires_at FROM sample
UNION ALL SELECT id(1000 + n), '8f6e3c1a-0000-4000-8000-000000000001', (:as_of AT TIME ZONE 'UTC') - interval '20 days' - n * interval '1 minute' FROM generate_series(1, 150) n;
DROP TABLE sample;
