INSERT INTO action_artifact SELECT row_number() OVER (), status, extract(epoch FROM :as_of)::bigint + off, 'builds/' || status || '/' || coalesce(off::text, 'never')
FROM generate_series(1, 4) status, (VALUES (0), (-1), (1), (-1000000), (NULL)) v(off);
INSERT INTO notice SELECT n, 'disk is full', extract(epoch FROM :as_of)::bigint - 365 * 86400 + off FROM (VALUES (1, 0), (2, -1), (3, 1), (4, -1000000), (5, 365 * 86400)) v(n, off);
