CREATE FUNCTION id(n bigint) RETURNS uuid LANGUAGE sql IMMUTABLE RETURN lpad(to_hex(n), 32, '0')::uuid;

INSERT INTO project VALUES ('two', 2, 1), ('none', 0, 2), ('new', 1, 3), ('ten', 10, 1), ('minus', -1, 1);
INSERT INTO environment SELECT id(row_number() OVER (ORDER BY id)), id FROM project;      -- minus, new, none, ten, two
INSERT INTO secret_folder SELECT id, id FROM environment;

-- Five versions of one secret for each project, the second and third at one instant; one in a folder that is gone.
INSERT INTO secret_version SELECT id(100 * f + n), id(f), id(f), :as_of - at
FROM generate_series(1, 6) f, (VALUES (1, interval '1 day'), (2, '2 days'), (3, '2 days'), (4, '3 days'), (5, '400 days')) v(n, at);
-- A second secret of project "two" with just as many as it may have, and a third with one more.
INSERT INTO secret_version SELECT id(1000 * s + n), id(s), id(5), :as_of - n * interval '1 hour'
FROM (VALUES (20, 2), (21, 3)) x(s, versions), generate_series(1, x.versions) n;

INSERT INTO audit_log SELECT id(n), :as_of - made, timestamptz '2026-03-01 00:00+00' + off, 'get-secret'
FROM (VALUES (1, interval '10 days', interval '0'), (2, '10 days', '-0.000001 s'), (3, '100 days', '-1 day'), (4, '3 years', '-1 year'),
             (5, '3 years', NULL), (6, '100 days', '12 hours'), (7, '1 day', '11:59:59'), (8, '1 day', '30 days')) v(n, made, off);
