-- Two years later there are 4,000 requests for help, 1,700 offers, 13,000 messages, 20,000
-- notifications, and the karma of 400 users. Ages are whole hours plus 30 minutes. Therefore the
-- same rows are due during the next 15 minutes.

-- The newest request is ten hours old. A third of the requests is finished. Open requests expire
-- after the time of their community. Until two days ago, expired requests were marked within an
-- hour.
INSERT INTO requests.help_requests (id, requester_id, title, description, payload, requirements, status,
                                    created_at, updated_at, completed_at, expires_at, expired)
SELECT ('10000000-0000-0000-0000-' || lpad(n::text, 12, '0'))::uuid,
       ('20000000-0000-0000-0000-' || lpad((n % 400)::text, 12, '0'))::uuid,
       'Request ' || n, 'What I need, in many words: ' || n, jsonb_build_object('phone', n), '{"tools": ["ladder"]}',
       r.status, r.created_at,
       CASE WHEN r.marked THEN r.expires_at + interval '1 hour' ELSE coalesce(r.completed_at, r.created_at) END,
       r.completed_at, r.expires_at, r.marked
FROM generate_series(1, 4000) AS n,
     LATERAL (SELECT now() - make_interval(hours => 4 * n + 6, mins => 30) AS created_at,
                     (ARRAY['open', 'completed', 'open', 'matched', 'completed', 'cancelled'])
                         [1 + n % 6] AS status) AS a,
     LATERAL (SELECT a.status, a.created_at,
                     CASE a.status WHEN 'completed' THEN a.created_at + interval '3 days' END AS completed_at,
                     communities.calculate_expires_at(('00000000-0000-0000-0000-00000000000' || 1 + n % 6)::uuid,
                                                      'request', a.created_at) AS expires_at) AS b,
     LATERAL (SELECT b.*, a.status = 'open' AND b.expires_at < now() - interval '2 days' AS marked) AS r;
-- Each request belongs to one community, every seventh to a second one, and every fiftieth to none.
INSERT INTO requests.request_communities (request_id, community_id)
SELECT DISTINCT r.id, ('00000000-0000-0000-0000-00000000000' || 1 + (x.n + k * 2) % 6)::uuid
FROM requests.help_requests AS r,
     LATERAL (SELECT right(r.id::text, 12)::bigint AS n) AS x,
     LATERAL generate_series(0, CASE WHEN x.n % 7 = 0 THEN 1 ELSE 0 END) AS k
WHERE x.n % 50 > 0;

INSERT INTO requests.help_offers (id, community_id, offerer_id, title, created_at, updated_at, expires_at, expired)
SELECT ('30000000-0000-0000-0000-' || lpad(n::text, 12, '0'))::uuid, c.id,
       ('20000000-0000-0000-0000-' || lpad((n % 300)::text, 12, '0'))::uuid, 'Offer ' || n, o.created_at,
       CASE WHEN o.marked THEN o.expires_at + interval '1 hour' ELSE o.created_at END, o.expires_at, o.marked
FROM generate_series(1, 1700) AS n,
     LATERAL (SELECT ('00000000-0000-0000-0000-00000000000' || 1 + n % 6)::uuid AS id) AS c,
     LATERAL (SELECT now() - make_interval(hours => n, mins => 30) AS created_at) AS a,
     LATERAL (SELECT a.created_at, communities.calculate_expires_at(c.id, 'offer', a.created_at) AS expires_at) AS b,
     LATERAL (SELECT b.*, b.expires_at < now() - interval '2 days' AS marked) AS o;

-- Matched and finished requests have a match, and a conversation of six messages.
INSERT INTO requests.matches (id, request_id, offer_id, helper_id, created_at)
SELECT ('40000000' || right(r.id::text, 28))::uuid, r.id, o.id,
       ('20000000-0000-0000-0000-' || lpad((x.n % 390)::text, 12, '0'))::uuid, r.created_at + interval '1 day'
FROM requests.help_requests AS r,
     LATERAL (SELECT right(r.id::text, 12)::bigint AS n) AS x
     LEFT JOIN requests.help_offers AS o ON o.id = ('30000000-0000-0000-0000-' || lpad(x.n::text, 12, '0'))::uuid
WHERE r.status IN ('matched', 'completed');
INSERT INTO messaging.conversations (id, request_match_id, created_at)
SELECT m.id, m.id, m.created_at FROM requests.matches AS m;
INSERT INTO messaging.messages (conversation_id, sender_id, content, created_at, updated_at)
SELECT m.id, m.helper_id, 'Message ' || k || ', about where I live', m.created_at + k * interval '1 hour',
       m.created_at + k * interval '1 hour'
FROM requests.matches AS m, generate_series(1, 6) AS k;
-- Messages with a short time to live. Some of them are marked.
INSERT INTO messaging.messages (conversation_id, sender_id, content, created_at, updated_at, expires_at, expired)
SELECT ('40000000-0000-0000-0000-' || lpad((6 * n + 1)::text, 12, '0'))::uuid,
       ('20000000-0000-0000-0000-' || lpad((n % 390)::text, 12, '0'))::uuid, 'See you at the door',
       a.created_at, CASE WHEN b.marked THEN a.created_at + interval '3 days 1 hour' ELSE a.created_at END,
       a.created_at + interval '3 days', b.marked
FROM generate_series(1, 600) AS n,
     LATERAL (SELECT now() - make_interval(hours => n, mins => 30) AS created_at) AS a,
     LATERAL (SELECT a.created_at < now() - interval '5 days' AS marked) AS b;
INSERT INTO notifications.notifications (user_id, body, created_at, updated_at, expires_at, expired)
SELECT ('20000000-0000-0000-0000-' || lpad((n % 400)::text, 12, '0'))::uuid, 'Somebody wrote to you', a.created_at,
       CASE WHEN b.marked THEN a.created_at + interval '30 days 1 hour' ELSE a.created_at END,
       a.created_at + interval '30 days', b.marked
FROM generate_series(1, 20000) AS n,
     LATERAL (SELECT now() - make_interval(hours => n % 1000, mins => 30) AS created_at) AS a,
     LATERAL (SELECT a.created_at < now() - interval '32 days' AS marked) AS b;

INSERT INTO requests.dibs (request_id, user_id, status, created_at, expires_at)
SELECT r.id, ('20000000-0000-0000-0000-' || lpad((x.n % 390)::text, 12, '0'))::uuid,
       CASE WHEN x.n % 5 = 0 THEN 'confirmed' ELSE 'pending' END, r.created_at, r.created_at + interval '1 day'
FROM requests.help_requests AS r, LATERAL (SELECT right(r.id::text, 12)::bigint AS n) AS x
WHERE x.n <= 300 AND r.status = 'matched';

INSERT INTO reputation.karma_records (user_id, community_id, points, reason, created_at)
SELECT ('20000000-0000-0000-0000-' || lpad((n % 400)::text, 12, '0'))::uuid,
       ('00000000-0000-0000-0000-00000000000' || 1 + (n / 400) % 6)::uuid,
       10 * (1 + n % 9), (ARRAY['helped', 'was_helped', 'feedback'])[1 + n % 3],
       now() - make_interval(hours => n * 7 % 17000, mins => 30)
FROM generate_series(1, 30000) AS n;
INSERT INTO reputation.trust_scores (user_id, community_id, score)
SELECT user_id, community_id, sum(points) FROM reputation.karma_records GROUP BY 1, 2;
INSERT INTO reputation.activity_log (user_id, community_id, action, created_at)
SELECT ('20000000-0000-0000-0000-' || lpad((n % 400)::text, 12, '0'))::uuid,
       ('00000000-0000-0000-0000-00000000000' || 1 + (n / 400) % 6)::uuid,
       (ARRAY['login', 'complete_request', 'login', 'complete_offer'])[1 + n / 4 % 4],
       now() - make_interval(hours => 100 * ((n / 400) % 6) + n * 7 % 4000, mins => 30)
FROM generate_series(1, 20000) AS n;

-- Some edges have faded long ago. None fades within the next hour.
INSERT INTO social_graph.trust_edges
    (from_user, to_user, weight, half_life_days, last_interaction_at, disappearance_threshold)
SELECT ('20000000-0000-0000-0000-' || lpad((n % 400)::text, 12, '0'))::uuid,
       ('20000000-0000-0000-0000-' || lpad((n / 400 + 400)::text, 12, '0'))::uuid,
       1, CASE WHEN n % 5 > 0 THEN 30 END, now() - make_interval(days => n % 200, hours => 12), 0.125
FROM generate_series(1, 20000) AS n;

ANALYZE requests.help_requests, requests.request_communities, requests.help_offers, requests.matches, requests.dibs,
    messaging.conversations, messaging.messages, notifications.notifications, reputation.karma_records,
    reputation.trust_scores, reputation.activity_log, social_graph.trust_edges;
