INSERT INTO query_results SELECT n, 'x', :as_of - interval '7 days' - (n % 40) * interval '1 hour' - interval '1 second' FROM generate_series(1, 250) n;
INSERT INTO query_results SELECT 300 + n, 'x', :as_of - interval '7 days' - off
FROM (VALUES (1, interval '0'), (2, '0.000001 s'), (3, '-0.000001 s'), (4, '-5 days')) v(n, off);
INSERT INTO queries SELECT n, 3 * n FROM generate_series(1, 20) n;
INSERT INTO queries VALUES (21, NULL), (22, 3), (23, 304);
