-- The rows cover every kind on every bound at :as_of. A row is due a microsecond after a bound and
-- not due a microsecond before it. Random choices use a hash, so they are the same in each test.
CREATE OR REPLACE FUNCTION pg_temp.uid(n bigint) RETURNS uuid LANGUAGE sql IMMUTABLE
    AS $$ SELECT ('00000000-0000-0000-0000-' || lpad(to_hex(n), 12, '0'))::uuid $$;
CREATE OR REPLACE FUNCTION pg_temp.pick(seed text, list anyarray) RETURNS anyelement LANGUAGE sql IMMUTABLE
    AS $$ SELECT list[1 + (hashtextextended(seed, 7) & 1048575) % cardinality(list)] $$;
-- bounds returns intervals for the given numbers of days, and one microsecond less and more.
CREATE OR REPLACE FUNCTION pg_temp.bounds(VARIADIC days integer[]) RETURNS SETOF interval LANGUAGE sql IMMUTABLE
    AS $$ SELECT make_interval(days => d) + us * interval '1 us' FROM unnest(days) d, generate_series(-1, 1) us $$;

INSERT INTO communities.communities SELECT pg_temp.uid(n), 'community ' || n FROM generate_series(1, 8) n;
INSERT INTO communities.settings (community_id, request_ttl_days, reputation_half_life_months)
SELECT pg_temp.uid(n), 20 + 5 * n, (ARRAY[6, 3, 12, 0.5, 6, 24, 1])[n] FROM generate_series(1, 7) n;
INSERT INTO requests.retention_config (community_id, completed_request_window_days, expired_request_window_days, message_window_days)
VALUES (pg_temp.uid(1), 200, 10, 20), (pg_temp.uid(2), 90, 45, NULL), (pg_temp.uid(3), NULL, NULL, NULL),
       (pg_temp.uid(5), 365, 60, NULL), (pg_temp.uid(6), 40, 3, 5), (pg_temp.uid(7), 180, 7, 100);

-- Requests with an age at each window, for different sets of communities.
WITH sets (ids) AS (
    VALUES ('{}'::int[]), ('{1}'), ('{2}'), ('{3}'), ('{1,2}'), ('{2,4}'), ('{1,5}'), ('{6}'), ('{6,2}'), ('{6,7}')
), aged AS (
    SELECT row_number() OVER (ORDER BY kind, s.ids, age) AS n, kind, s.ids, age
    FROM sets s, LATERAL (
        SELECT 'completed' AS kind, b AS age FROM pg_temp.bounds(40, 90, 120, 180, 200, 365) b
        UNION ALL SELECT 'expired', b FROM pg_temp.bounds(3, 7, 10, 20, 30, 45, 60) b) x
), made AS (
    INSERT INTO requests.help_requests (id, requester_id, title, description, payload, requirements, status,
                                        created_at, updated_at, completed_at, expires_at, expired, content_forgotten_at)
    SELECT pg_temp.uid(1000 + n), pg_temp.uid(n % 20), 'title ' || n, CASE WHEN n % 5 > 0 THEN 'description ' || n END,
           jsonb_build_object('n', n), '{"tools": 1}',
           CASE WHEN kind = 'completed' THEN 'completed' ELSE pg_temp.pick('s' || n, ARRAY['open', 'open', 'cancelled', 'completed']) END,
           :as_of - interval '500 days',
           :as_of - CASE WHEN kind = 'expired' THEN age ELSE pg_temp.pick('u' || n, ARRAY['1 day', '50 days']::interval[]) END,
           CASE WHEN kind = 'completed' AND n % 31 > 0 THEN :as_of - age END,
           :as_of - age - interval '1 day', kind = 'expired' OR n % 17 = 0,
           CASE WHEN kind = 'completed' AND n % 13 = 0 THEN :as_of - interval '1 hour' END
    FROM aged)
INSERT INTO requests.request_communities SELECT pg_temp.uid(1000 + n), pg_temp.uid(c) FROM aged, unnest(ids) c;

-- Requests on the bound of their expiry.
INSERT INTO requests.help_requests (id, requester_id, title, status, updated_at, expires_at, expired, completed_at)
SELECT pg_temp.uid(5000 + row_number() OVER ()), pg_temp.uid(1), 'bound', s, :as_of - interval '3 days', :as_of + e, x, NULL
FROM unnest(ARRAY['open', 'matched', 'in_progress', 'completed', 'cancelled']) s, unnest(ARRAY[true, false]) x,
     unnest(ARRAY['-1 us', '0', '1 us', '-1 day', '1 day', NULL]::interval[]) e;

INSERT INTO requests.help_offers (id, community_id, offerer_id, title, updated_at, expires_at, expired)
SELECT pg_temp.uid(row_number() OVER ()), pg_temp.uid(1 + (row_number() OVER ()) % 3), pg_temp.uid(2), 'offer', :as_of - u, :as_of + e, x
FROM unnest(ARRAY['-1 us', '0', '1 us', '-9 days', '1 day', NULL]::interval[]) e, unnest(ARRAY[true, false]) x,
     (SELECT pg_temp.bounds(7) UNION ALL VALUES (interval '0'), ('30 days')) b (u);

-- Two of three aged requests have a match, and some of them have two. Most matches have a
-- conversation.
INSERT INTO requests.matches (id, request_id, offer_id, helper_id)
SELECT pg_temp.uid(20000 + 2 * n + k), pg_temp.uid(1000 + n), CASE WHEN n % 4 > 0 THEN pg_temp.uid(1 + n % 60) END, pg_temp.uid(3)
FROM generate_series(1, 390) n, generate_series(0, 1) k WHERE n % 3 > 0 AND k <= n % 2;
INSERT INTO messaging.conversations (id, request_match_id)
SELECT m.id, m.id FROM requests.matches m WHERE pg_temp.pick('c' || m.id, ARRAY[true, true, false]);
INSERT INTO messaging.conversations (id, request_match_id) VALUES (pg_temp.uid(7), NULL);

INSERT INTO messaging.messages (conversation_id, sender_id, content, created_at, updated_at, expires_at, expired, forgotten_at)
SELECT c.id, pg_temp.uid(4), 'text ' || c.id || k,
       :as_of - pg_temp.pick('a' || c.id || k, ARRAY(SELECT pg_temp.bounds(5, 20, 100, 180))),
       :as_of - pg_temp.pick('u' || c.id || k, ARRAY(SELECT pg_temp.bounds(7))),
       :as_of + pg_temp.pick('e' || c.id || k, ARRAY['-1 us', '0', '1 us', NULL]::interval[]),
       pg_temp.pick('x' || c.id || k, ARRAY[true, false, false, false]),
       CASE WHEN pg_temp.pick('f' || c.id || k, ARRAY[true, false, false, false, false]) THEN :as_of - interval '3 days' END
FROM messaging.conversations c, generate_series(1, 2) k WHERE k = 1 OR c.request_match_id IS NULL OR pg_temp.pick('k' || c.id, ARRAY[true, false]);
INSERT INTO messaging.messages (conversation_id, sender_id, content, created_at, updated_at, expires_at, expired, forgotten_at)
SELECT pg_temp.uid(7), pg_temp.uid(5), 'loose', :as_of - a, :as_of - u, :as_of + e, x, f
FROM pg_temp.bounds(20, 100, 180) a, unnest(ARRAY['7 days', '6 days']::interval[]) u, unnest(ARRAY['0', '1 us', NULL]::interval[]) e,
     unnest(ARRAY[true, false]) x, unnest(ARRAY[NULL, '2020-01-01'::timestamptz]) f;

INSERT INTO notifications.notifications (user_id, body, updated_at, expires_at, expired)
SELECT pg_temp.uid(6), 'note', :as_of - u, :as_of + e, x
FROM unnest(ARRAY['-1 us', '0', '1 us', '-9 days', NULL]::interval[]) e, unnest(ARRAY[true, false]) x, pg_temp.bounds(7, 8) u;

INSERT INTO requests.dibs (request_id, user_id, status, expires_at)
SELECT r.id, pg_temp.uid(8), s, :as_of + e
FROM (SELECT id, row_number() OVER (ORDER BY id) n FROM requests.help_requests WHERE title = 'bound') r,
     unnest(ARRAY['pending', 'confirmed', 'declined', 'expired']) WITH ORDINALITY s (s, k),
     unnest(ARRAY['-1 us', '0', '1 us', '-3 hours', '1 day', NULL]::interval[]) WITH ORDINALITY e (e, l)
WHERE (r.n + k + l) % 5 = 0;
INSERT INTO requests.dibs (request_id, user_id, status, expires_at) -- their requests' deletion cascades to them
SELECT pg_temp.uid(1000 + n), pg_temp.uid(9), 'confirmed', :as_of - interval '40 days' FROM generate_series(181, 390, 7) n;

INSERT INTO reputation.trust_scores (user_id, community_id, score)
SELECT pg_temp.uid(u), pg_temp.uid(c), 0 FROM generate_series(1, 15) u, generate_series(1, 8) c WHERE (u + c) % 3 > 0;
INSERT INTO reputation.karma_records (user_id, community_id, points, reason, created_at)
SELECT pg_temp.uid(pg_temp.pick('u' || i, ARRAY(SELECT generate_series(1, 14)))), pg_temp.uid(pg_temp.pick('c' || i, ARRAY(SELECT generate_series(1, 8)))),
       pg_temp.pick('p' || i, ARRAY[-5, 1, 10, 100, 1000]), 'helped',
       :as_of - pg_temp.pick('d' || i, ARRAY(SELECT generate_series(-1, 900))) * interval '1 day 1 hour' + i * interval '1 us'
FROM generate_series(1, 400) i;
INSERT INTO reputation.activity_log (user_id, community_id, action, created_at)
SELECT pg_temp.uid(1 + n % 15), pg_temp.uid(1 + n % 8), pg_temp.pick('a' || n, ARRAY['complete_request', 'complete_offer', 'login']), :as_of - a
FROM generate_series(1, 20) n, (SELECT pg_temp.bounds(90) UNION ALL VALUES (interval '1 day'), ('400 days')) b (a);

INSERT INTO cleanup.exported_rows (table_name, key, record, exported_at, run_id)
SELECT 'requests.help_offers', b::text, '{}', :as_of - b, 0 FROM pg_temp.bounds(30, 31) b;
