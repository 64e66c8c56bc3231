CREATE FUNCTION id(n bigint) RETURNS uuid LANGUAGE sql IMMUTABLE RETURN lpad(to_hex(n), 32, '0')::uuid;

-- 1 keeps two versions, 2 all, 3 one, but a version is being made, 4 one, 5 two and two checkpoints.
INSERT INTO repository VALUES (id(1), 2, NULL), (id(2), NULL, 1), (id(3), 1, NULL), (id(4), 1, NULL), (id(5), 2, 2);
INSERT INTO repository_version SELECT id(100 * r + n), id(r), n, r <> 3 OR n < 4 FROM generate_series(1, 5) r, generate_series(0, CASE r WHEN 3 THEN 4 WHEN 5 THEN 9 ELSE 6 END) n;

INSERT INTO publication VALUES
    (id(1001), id(101), false), (id(1003), id(103), false), (id(1004), id(104), false),   -- repository 1: 104 is the newest published
    (id(2001), id(201), true), (id(2002), id(202), true), (id(2003), id(202), true), (id(2004), id(203), false),
    (id(4001), id(406), false), (id(4002), id(402), false),
    (id(5001), id(501), true), (id(5002), id(502), true), (id(5003), id(503), true), (id(5004), id(504), true), (id(5008), id(508), false);
INSERT INTO distribution VALUES
    (id(11), id(1), NULL, NULL), (id(12), NULL, id(100), NULL), (id(13), NULL, NULL, id(1001)), (id(14), NULL, NULL, NULL),
    (id(15), NULL, id(405), NULL);

-- Content: old, on the bound, young; in versions that go, in versions that stay, in none.
INSERT INTO content SELECT id(10000 + n), :as_of - ago
FROM (VALUES (1, interval '24 hours'), (2, '24 hours 0.000001 s'), (3, '23:59:59.999999'), (4, '30 days'), (5, '30 days'), (6, '30 days'),
             (7, '40 days'), (8, '30 days'), (9, '1 hour'), (10, '50 days'), (11, '60 days'), (12, '70 days')) v(n, ago);
INSERT INTO version_content VALUES
    (id(102), id(10004)), (id(101), id(10005)), (id(102), id(10006)), (id(106), id(10006));
-- 7 is in 8, which goes; 10 is in 9, which is young; 12 is in 11, which is in 8.
INSERT INTO nested_content VALUES (id(10008), id(10007)), (id(10009), id(10010)), (id(10008), id(10011)), (id(10011), id(10012));
