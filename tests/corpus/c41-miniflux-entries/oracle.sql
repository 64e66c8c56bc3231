-- as_of: 2026-03-01 12:00:00+00

-- table: public.entries
SELECT * FROM entries
WHERE starred OR share_code <> '' OR status = 'removed'
   OR created_at >= :as_of - CASE status WHEN 'read' THEN interval '60 days' ELSE '180 days' END;

-- table: public.enclosures
SELECT c.* FROM enclosures c JOIN entries e ON e.id = c.entry_id
WHERE starred OR share_code <> '' OR status = 'removed'
   OR created_at >= :as_of - CASE status WHEN 'read' THEN interval '60 days' ELSE '180 days' END;

-- table: public.entry_tombstones
SELECT * FROM entry_tombstones
UNION
SELECT feed_id, hash FROM entries
WHERE NOT starred AND share_code = '' AND (
    status = 'read' AND :as_of - created_at > interval '60 days' OR status = 'unread' AND :as_of - created_at > interval '180 days');

-- table: public.user_sessions
SELECT * FROM user_sessions WHERE :as_of - created_at <= interval '30 days';

-- table: public.icons
SELECT * FROM icons WHERE id IN (SELECT icon_id FROM feed_icons);
