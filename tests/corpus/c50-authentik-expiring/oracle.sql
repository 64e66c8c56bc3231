-- as_of: 2026-03-01 12:00:00.5+00

-- table: public.core_session
SELECT * FROM core_session WHERE NOT expiring OR expires > :as_of;

-- table: public.core_authenticatedsession
SELECT a.* FROM core_authenticatedsession a JOIN core_session s USING (session_key)
WHERE (NOT expiring OR expires > :as_of) AND user_id NOT IN (3, 5, 6);

-- table: public.core_user
SELECT * FROM core_user WHERE id NOT IN (3, 5, 6);

-- table: (SELECT token_uuid, user_id, intent, key = 'old' AS old, length(key) AS length, expires, expiring FROM core_token) t
-- A new secret is a random one: only that it is new can be told.
SELECT token_uuid, user_id, intent, NOT rotated AS old, CASE WHEN rotated THEN 64 ELSE 3 END AS length,
       CASE WHEN rotated THEN :as_of + interval '720 hours' ELSE expires END AS expires, expiring
FROM (SELECT *, intent IN ('api', 'app_password') AND expiring AND (expires IS NULL OR expires <= :as_of) AS rotated FROM core_token) t
WHERE user_id NOT IN (3, 5, 6) AND (rotated OR NOT expiring OR expires > :as_of);

-- table: (SELECT count(DISTINCT key) AS keys FROM core_token) t
SELECT 1 + count(*) AS keys FROM core_token WHERE intent IN ('api', 'app_password') AND expiring AND (expires IS NULL OR expires <= :as_of);

-- table: public.core_token
SELECT token_uuid FROM core_token
WHERE user_id NOT IN (3, 5, 6) AND (intent IN ('api', 'app_password') OR NOT expiring OR expires > :as_of);

-- table: public.policies_reputation
SELECT * FROM policies_reputation WHERE NOT expiring OR expires > :as_of;
