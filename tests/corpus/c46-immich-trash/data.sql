CREATE FUNCTION id(n bigint) RETURNS uuid LANGUAGE sql IMMUTABLE RETURN lpad(to_hex(n), 32, '0')::uuid;

INSERT INTO system_metadata VALUES ('system-config', '{"trash": {"enabled": true, "days": 10}}'), ('license', '{"days": 1}');
INSERT INTO users VALUES (id(1), 'anna', 1000), (id(2), 'ben', 30), (id(3), 'cleo', 500);

-- Single assets: on the bound, beside it, external, offline.
INSERT INTO asset (id, "ownerId", "deletedAt", "libraryId", "isOffline", "originalPath", "fileSizeInByte")
SELECT id(100 + n), id(owner), :as_of - ago, id(lib), off, '/photos/' || n, size
FROM (VALUES (1, 1, interval '10 days', NULL::int, false, 100), (2, 1, '10 days 0.000001 s', NULL, false, 10), (3, 1, '9 days 23:59:59.999999', NULL, false, 1),
             (4, 1, NULL, NULL, false, 1), (5, 1, '11 days', 9, false, 500), (6, 1, '11 days', 9, true, 500), (7, 1, '12 days', NULL, true, 7),
             (8, 2, '20 days', NULL, false, 20), (9, 2, '21 days', NULL, false, 20), (10, 3, '-1 day', NULL, false, 5)) v(n, owner, ago, lib, off, size);

-- Stacks of n assets; what is due of them, and which one is the primary.
INSERT INTO asset (id, "ownerId", "deletedAt", "originalPath", "fileSizeInByte")
SELECT id(1000 * s + n), id(3), CASE WHEN n = ANY (due) THEN :as_of - interval '15 days' - n * interval '1 hour' WHEN s = 7 THEN :as_of - interval '1 day' END, '/stack/' || s || '/' || n, 1
FROM (VALUES (1, 2, ARRAY[1]),            -- two, the primary goes: dissolved
             (2, 3, ARRAY[1]),            -- three, the primary goes: 2 is promoted
             (3, 3, ARRAY[3]),            -- three, another goes: stays as it is
             (4, 5, ARRAY[1, 2, 4]),      -- five, the primary and two more go: 3 is promoted
             (5, 3, ARRAY[1, 2, 3]),      -- all go
             (6, 3, ARRAY[2, 3]),         -- one is left: dissolved
             (7, 3, ARRAY[1])) v(s, size, due), LATERAL generate_series(1, size) n;   -- the others are in the trash, but not due
INSERT INTO stack SELECT id(10 + s), id(1000 * s + 1) FROM generate_series(1, 7) s;
UPDATE asset a SET "stackId" = s.id FROM stack s, generate_series(1, 7) n WHERE s.id = id(10 + n) AND a."originalPath" LIKE '/stack/' || n || '/%';

-- Stills with a motion video: 1 alone, 2 and 3 share one, 4 shares one with 5, which stays; the video of 6 is in the trash itself.
INSERT INTO asset (id, "ownerId", "deletedAt", "isOffline", "originalPath")
SELECT id(200 + n), id(2), CASE WHEN n IN (6) THEN :as_of - interval '16 days' END, n = 7, '/video/' || n FROM (VALUES (1), (2), (4), (6), (7), (8)) v(n);
INSERT INTO asset (id, "ownerId", "deletedAt", "livePhotoVideoId", "originalPath", "fileSizeInByte")
SELECT id(300 + n), id(2), CASE WHEN n NOT IN (5, 8) THEN :as_of - interval '14 days' - n * interval '1 hour' END, id(video), '/still/' || n, 0
FROM (VALUES (1, 201), (2, 202), (3, 202), (4, 204), (5, 204), (6, 206), (7, 207), (8, 208)) v(n, video);

INSERT INTO asset_file SELECT id(50000 + row_number() OVER (ORDER BY a.id, k)), a.id, '/thumbs/' || k || a."originalPath" FROM asset a, (VALUES ('preview'), ('tiny')) v(k);
