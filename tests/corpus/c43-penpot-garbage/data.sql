CREATE FUNCTION id(n bigint) RETURNS uuid LANGUAGE sql IMMUTABLE RETURN lpad(to_hex(n), 32, '0')::uuid;

-- Each kind has a row on the bound, one before, one after, one that nobody deleted.
CREATE TEMP TABLE mark AS SELECT n, :as_of + off AS at
FROM (VALUES (1, interval '0'), (2, '-0.000001 s'), (3, '0.000001 s'), (4, NULL), (5, '-30 days')) v(n, off);

INSERT INTO profile SELECT id(1000 + n), at, id(10000 + n) FROM mark;
INSERT INTO team SELECT id(1100 + n), at, CASE WHEN n = 2 THEN NULL WHEN n = 5 THEN id(10003) ELSE id(11000 + n) END FROM mark;  -- 10003 is a profile's too
INSERT INTO team_font_variant SELECT id(1200 + n), id(1104), at, id(12000 + n), id(12100 + n), CASE WHEN n = 4 THEN id(12001) END, NULL FROM mark;
INSERT INTO project SELECT id(1300 + n), id(1104), at FROM mark;
INSERT INTO file SELECT id(1400 + n), id(1304), :as_of - interval '1 day', at, '{}' FROM mark;
INSERT INTO file_thumbnail SELECT id(1500 + n), id(1404), at, id(15000 + n) FROM mark;
INSERT INTO file_tagged_object_thumbnail SELECT id(1600 + n), id(1404), at, id(16000 + n) FROM mark;
INSERT INTO file_data SELECT id(1700 + n), id(1404), at, CASE WHEN n <> 2 THEN jsonb_build_object('storage-ref-id', id(17000 + n)) END FROM mark;
INSERT INTO file_change SELECT id(1800 + n), id(1404), at, '{}' FROM mark;
INSERT INTO file_media_object SELECT id(1900 + n), id(1404), at, id(19000 + n), CASE WHEN n < 4 THEN id(19100 + n) END FROM mark;
INSERT INTO file_media_object VALUES (id(1910), id(1404), NULL, id(19001), NULL);          -- shares a medium with one that goes
DROP TABLE mark;

-- Files by idleness, with media that are used in the file, in a snapshot, or nowhere.
INSERT INTO file SELECT id(1420 + n), id(1304), :as_of - idle, gone, jsonb_build_object('image', id(1920 + 10 * n))
FROM (VALUES (1, interval '72 hours', NULL::timestamptz), (2, '72 hours 0.000001 s', NULL), (3, '100 days', NULL), (4, '100 days', :as_of + interval '1 day'), (5, '1 hour', NULL)) v(n, idle, gone);
INSERT INTO file_change SELECT id(1820 + n), id(1420 + n), NULL, jsonb_build_object('image', id(1921 + 10 * n)) FROM generate_series(1, 5) n;
INSERT INTO file_media_object SELECT id(1920 + 10 * n + m), id(1420 + n), NULL, id(19200 + 10 * n + m), NULL FROM generate_series(1, 5) n, generate_series(0, 2) m;
INSERT INTO file_media_object VALUES (id(1995), id(1499), NULL, id(19500), NULL);           -- of no file

-- The storage. Touched now, by whoever goes; touched before, on the bound of two hours; marked before.
INSERT INTO storage_object (id, backend, metadata)
SELECT id(n), CASE WHEN n % 2 = 0 THEN 'fs' ELSE 'db' END, jsonb_build_object('bucket', bucket)
FROM (VALUES (10000, 'profile'), (11000, 'profile'), (12000, 'team-font-variant'), (12100, 'team-font-variant'), (15000, 'file-thumbnail'),
             (16000, 'file-object-thumbnail'), (17000, 'file-data'), (19000, 'file-media-object'), (19100, 'file-media-object')) b(base, bucket),
     LATERAL generate_series(base + 1, base + 5) n;
INSERT INTO storage_object SELECT id(20000 + n), 'fs', :as_of - ago, NULL, jsonb_build_object('bucket', bucket)
FROM (VALUES (1, interval '2 hours', 'tempfile'), (2, '2 hours 0.000001 s', 'tempfile'), (3, '01:59:59.999999', 'tempfile'), (4, '3 days', 'profile'),
             (5, '2 hours', 'file-media-object'), (6, '2 hours', 'file-data'), (7, '1 hour', 'profile'), (8, '3 hours', NULL)) v(n, ago, bucket);
-- Touched three hours ago and still referred to, in each bucket.
UPDATE storage_object SET touched_at = :as_of - interval '3 hours' WHERE id IN (id(10004), id(11004), id(12004), id(12104), id(15004), id(16004), id(17004), id(19004));
-- Touched three hours ago, and referred to only by rows that go today: frozen or marked, as the order of the jobs has it.
UPDATE storage_object SET touched_at = :as_of - interval '3 hours' WHERE id IN (id(12001), id(12102));
-- Referred to, but from another bucket.
UPDATE storage_object SET touched_at = :as_of - interval '3 hours', metadata = '{"bucket": "file-thumbnail"}' WHERE id = id(19103);
INSERT INTO storage_object SELECT id(21000 + n), backend, :as_of - interval '1 day', :as_of + off, '{"bucket": "profile"}'
FROM (VALUES (1, 'fs', interval '0'), (2, 's3', '-0.000001 s'), (3, 'fs', '0.000001 s'), (4, 'db', '-7 days'), (5, 'db', '7 days')) v(n, backend, off);
INSERT INTO storage_data SELECT id, '\x00' FROM storage_object WHERE backend = 'db';
