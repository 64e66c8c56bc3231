-- as_of: 2025-06-01 12:00:00+00

-- table: public.session_activations
SELECT id, user_id, CASE WHEN updated_at >= '2024-06-01 12:00' THEN ip END AS ip, updated_at
FROM public.session_activations WHERE updated_at >= '2023-06-01 12:00';

-- table: public.login_activities
SELECT * FROM public.login_activities WHERE created_at IS NULL OR created_at >= '2024-06-01 12:00';

-- table: public.users
SELECT id, account_id, CASE WHEN current_sign_in_at < '2024-06-01 12:00' THEN NULL ELSE sign_up_ip END AS sign_up_ip, current_sign_in_at FROM public.users;

-- table: public.oauth_access_tokens
SELECT id, token, last_used_at, CASE WHEN last_used_at < '2024-06-01 12:00' THEN NULL ELSE last_used_ip END AS last_used_ip FROM public.oauth_access_tokens;

-- table: public.ip_blocks
SELECT * FROM public.ip_blocks WHERE expires_at IS NULL OR expires_at > '2025-06-01 12:00';

-- Half of the statuses of elsewhere go, those of a millisecond before the second of May, noon.
-- table: public.statuses
SELECT * FROM public.statuses WHERE account_id = 1 OR id / 65536 >= extract(epoch FROM timestamptz '2025-05-02 12:00+00') * 1000;

-- table: public.mentions
SELECT m.* FROM public.mentions m JOIN public.statuses s ON s.id = m.status_id
WHERE s.account_id = 1 OR s.id / 65536 >= extract(epoch FROM timestamptz '2025-05-02 12:00+00') * 1000;

-- table: public.account_conversations
SELECT c.id, c.account_id, c.left_over AS status_ids
FROM (SELECT c.*, ARRAY(SELECT u.id FROM unnest(c.status_ids) WITH ORDINALITY u(id, n) LEFT JOIN public.statuses s ON s.id = u.id
                        WHERE s.id IS NULL OR s.account_id = 1 OR s.id / 65536 >= 1746187200000 ORDER BY u.n) AS left_over
      FROM public.account_conversations c) c
WHERE cardinality(c.left_over) > 0;

-- Media of statuses that went are orphans, and go if they are a day old.
-- table: public.media_attachments
SELECT m.id, CASE WHEN s.account_id = 1 OR s.id / 65536 >= 1746187200000 THEN m.status_id END AS status_id, m.file_name, m.created_at
FROM public.media_attachments m LEFT JOIN public.statuses s ON s.id = m.status_id
WHERE coalesce(s.account_id = 1 OR s.id / 65536 >= 1746187200000, false) OR m.created_at >= '2025-05-31 12:00';

-- table: retention.event
SELECT 'remote_statuses' AS policy, 'status_unindexed' AS event, jsonb_build_object('id', id) AS payload FROM public.statuses
WHERE account_id <> 1 AND id / 65536 < 1746187200000
UNION ALL
SELECT 'orphaned_media', 'file_unused', jsonb_build_object('file_name', m.file_name)
FROM public.media_attachments m LEFT JOIN public.statuses s ON s.id = m.status_id
WHERE NOT (coalesce(s.account_id = 1 OR s.id / 65536 >= 1746187200000, false) OR m.created_at >= '2025-05-31 12:00');
