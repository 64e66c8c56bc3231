INSERT INTO feeds VALUES (1, 'news'), (2, 'blog');
INSERT INTO entries
SELECT row_number() OVER (), f, 'h' || row_number() OVER (), status::entry_status, false, '', :as_of - days * interval '1 day' - off
FROM (VALUES (1), (2)) feed(f), (VALUES ('read'), ('unread'), ('removed')) s(status), (VALUES (60), (180)) d(days),
     (VALUES (interval '0'), ('0.000001 s'), ('-0.000001 s')) o(off);
INSERT INTO entries SELECT 100 + n, 1, 'k' || n, status::entry_status, starred, share, :as_of - interval '1 year'
FROM (VALUES (1, 'read', true, ''), (2, 'unread', true, ''), (3, 'read', false, 'abc'), (4, 'unread', true, 'def'), (5, 'read', false, '')) v(n, status, starred, share);
INSERT INTO enclosures SELECT id, id, 'https://feed.example/' || id FROM entries;
INSERT INTO entry_tombstones VALUES (1, 'k5'), (1, 'k1'), (2, 'long ago');          -- k5 has been here before
INSERT INTO user_sessions SELECT n, :as_of - interval '30 days' - off FROM (VALUES (1, interval '0'), (2, '0.000001 s'), (3, '-0.000001 s')) v(n, off);
INSERT INTO icons SELECT n, 'i' || n FROM generate_series(1, 4) n;
INSERT INTO feed_icons VALUES (1, 1), (2, 3), (1, 3);
