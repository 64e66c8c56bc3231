-- as_of: 2026-03-01 12:00:00+00

-- table: public.sessions
SELECT * FROM sessions WHERE nid <> '8f6e3c1a-0000-4000-8000-000000000001' OR expires_at > timestamp '2026-02-22 12:00';

-- table: public.session_devices
SELECT d.* FROM session_devices d JOIN sessions s ON s.id = d.session_id
WHERE nid <> '8f6e3c1a-0000-4000-8000-000000000001' OR expires_at > timestamp '2026-02-22 12:00';

-- table: public.continuity_containers
SELECT * FROM continuity_containers WHERE nid <> '8f6e3c1a-0000-4000-8000-000000000001' OR expires_at > timestamp '2026-02-22 12:00';

-- table: public.selfservice_login_flows
-- A batch of a hundred for each run, oldest first.
WITH expired AS (
    SELECT *, row_number() OVER (ORDER BY expires_at, id) AS place FROM selfservice_login_flows
    WHERE nid = '8f6e3c1a-0000-4000-8000-000000000001' AND expires_at <= timestamp '2026-02-22 12:00')
SELECT f.* FROM selfservice_login_flows f LEFT JOIN expired e ON e.id = f.id WHERE e.id IS NULL OR e.place > 100 * :round;

-- table: public.selfservice_recovery_flows
SELECT * FROM selfservice_recovery_flows WHERE nid <> '8f6e3c1a-0000-4000-8000-000000000001' OR expires_at > timestamp '2026-02-22 12:00';

-- table: public.identity_recovery_codes
SELECT c.* FROM identity_recovery_codes c JOIN selfservice_recovery_flows f ON f.id = c.selfservice_recovery_flow_id
WHERE nid <> '8f6e3c1a-0000-4000-8000-000000000001' OR expires_at > timestamp '2026-02-22 12:00';

-- table: public.selfservice_registration_flows
SELECT * FROM selfservice_registration_flows WHERE nid <> '8f6e3c1a-0000-4000-8000-000000000001' OR expires_at > timestamp '2026-02-22 12:00';

-- table: public.selfservice_settings_flows
SELECT * FROM selfservice_settings_flows WHERE nid <> '8f6e3c1a-0000-4000-8000-000000000001' OR expires_at > timestamp '2026-02-22 12:00';

-- table: public.selfservice_verification_flows
SELECT * FROM selfservice_verification_flows WHERE nid <> '8f6e3c1a-0000-4000-8000-000000000001' OR expires_at > timestamp '2026-02-22 12:00';

-- table: public.session_token_exchanges
SELECT * FROM session_token_exchanges WHERE nid <> '8f6e3c1a-0000-4000-8000-000000000001' OR expires_at > timestamp '2026-02-22 12:00';
