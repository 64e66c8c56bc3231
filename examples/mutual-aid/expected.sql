-- The query counts in plain SQL the rows that the document's statements of memory retention would
-- take now, one after the other.
WITH fallback AS (
    SELECT coalesce(max(c.completed_request_window_days), 180) AS completed,
           coalesce(max(c.expired_request_window_days), 30) AS expired,
           coalesce(max(c.message_window_days), 180) AS message
    FROM requests.retention_config AS c WHERE c.community_id IS NULL
), windows AS (
    SELECT r.id, r.status, r.expired, r.completed_at, r.updated_at, r.content_forgotten_at,
           coalesce(max(coalesce(o.completed_request_window_days, f.completed))
                    FILTER (WHERE rc.request_id IS NOT NULL), f.completed) * interval '1 day' AS completed_window,
           coalesce(max(coalesce(o.expired_request_window_days, f.expired))
                    FILTER (WHERE rc.request_id IS NOT NULL), f.expired) * interval '1 day' AS expired_window
    FROM requests.help_requests AS r CROSS JOIN fallback AS f
    LEFT JOIN requests.request_communities AS rc ON rc.request_id = r.id
    LEFT JOIN requests.retention_config AS o ON o.community_id = rc.community_id
    GROUP BY r.id, f.completed, f.expired
), exchange AS (
    SELECT w.id FROM windows AS w
    WHERE w.status = 'completed' AND w.content_forgotten_at IS NULL AND w.completed_at < now() - w.completed_window
), unfinished AS (
    SELECT w.id FROM windows AS w
    WHERE w.expired AND w.status <> 'completed' AND w.content_forgotten_at IS NULL
      AND w.updated_at < now() - greatest(w.expired_window, interval '7 days')
      AND EXISTS (SELECT FROM requests.matches AS m WHERE m.request_id = w.id)
)
SELECT 'exchange_forgotten' AS policy, count(*) AS rows FROM exchange
UNION ALL
SELECT 'unfinished_forgotten', count(*) FROM unfinished
UNION ALL
SELECT 'requests_destroy', count(*) FROM windows AS w
WHERE w.expired AND w.updated_at < now() - greatest(w.expired_window, interval '7 days')
  AND NOT EXISTS (SELECT FROM requests.matches AS m WHERE m.request_id = w.id)
UNION ALL
SELECT 'messages_forgotten', count(*) FROM messaging.messages AS m CROSS JOIN fallback AS f
WHERE m.forgotten_at IS NULL AND m.created_at < now() - f.message * interval '1 day'
  AND NOT EXISTS (SELECT FROM messaging.conversations AS c JOIN requests.matches AS x ON x.id = c.request_match_id
                  JOIN (TABLE exchange UNION ALL TABLE unfinished) AS e ON e.id = x.request_id
                  WHERE c.id = m.conversation_id);
