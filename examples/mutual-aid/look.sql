-- One forgotten exchange. The request and its messages still exist, but their texts are removed.
SELECT r.status, r.title, r.payload, count(m.id) AS messages, min(m.content) AS content
FROM requests.help_requests AS r
JOIN requests.matches AS x ON x.request_id = r.id
JOIN messaging.conversations AS c ON c.request_match_id = x.id
JOIN messaging.messages AS m ON m.conversation_id = c.id
WHERE r.content_forgotten_at IS NOT NULL
GROUP BY r.id ORDER BY r.id LIMIT 1;
-- Karma that was earned a year ago counts a quarter.
SELECT s.user_id, s.score AS before, reputation.calculate_decayed_karma(s.user_id, s.community_id) AS after
FROM reputation.trust_scores AS s ORDER BY s.user_id, s.community_id LIMIT 1;
-- Run the weekly report now.
CALL retention.run_job('decay_report', reason => 'asked for');
SELECT r ->> 'community' AS community, r ->> 'members' AS members, r ->> 'avg_months_inactive' AS avg_months_inactive
FROM retention.report, jsonb_array_elements(rows) AS r WHERE name = 'decay_statistics';
-- Expired dibs open their requests again and write events.
CALL retention.run_job('dibs', reason => 'asked for');
SELECT event, count(*), min(payload::text) AS one_of_them FROM retention.event
WHERE event = 'dibs_expired' GROUP BY event;
-- Mark expired offers, and undo that run.
CALL retention.run('offers_expire', reason => 'by mistake');
SELECT count(*) AS marked FROM requests.help_offers WHERE expired;
SELECT * FROM retention.restore('offers_expire', (SELECT max(id) FROM retention.run WHERE policy = 'offers_expire'));
SELECT count(*) AS marked FROM requests.help_offers WHERE expired;
