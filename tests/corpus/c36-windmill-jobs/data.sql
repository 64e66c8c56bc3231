CREATE FUNCTION id(n bigint) RETURNS uuid LANGUAGE sql IMMUTABLE RETURN lpad(to_hex(n), 32, '0')::uuid;

INSERT INTO global_settings VALUES ('retention_period_secs', '604800'), ('base_url', '"https://jobs.example"');   -- a week

-- The end counts, not the start.
INSERT INTO completed_job SELECT id(n), 'w', :as_of - interval '1 year', :as_of - interval '7 days' - started, ms
FROM (VALUES (1, interval '0', 0), (2, '10 minutes', 600000), (3, '10 minutes', 600001), (4, '10 minutes', 599999), (5, '1 day', 86400000 * 3),
             (6, NULL, 1000), (7, '300 days', 5), (8, '-1 hour', 0), (9, '0.000001 s', 0), (10, '-0.000001 s', 0)) v(n, started, ms);
INSERT INTO job_stats SELECT 'w', id(n), metric FROM generate_series(1, 11) n, (VALUES ('memory'), ('cpu')) m(metric);
INSERT INTO job_logs SELECT id(n), 'log ' || n, CASE WHEN n % 2 = 1 THEN ARRAY['a' || n, 'b'] END FROM generate_series(1, 11) n;

INSERT INTO concurrency_key SELECT id(n), 'k', :as_of - ago
FROM (VALUES (1, interval '7 days'), (2, '7 days 0.000001 s'), (3, '6 days 23:59:59.999999'), (4, NULL), (5, '70 days')) v(n, ago);

INSERT INTO token SELECT 't' || n, :as_of + off
FROM (VALUES (1, interval '0'), (2, '0.000001 s'), (3, '-0.000001 s'), (4, NULL), (5, '-1 year')) v(n, off);

INSERT INTO resource
SELECT 'w', 'cache/' || n, 'cache', v::jsonb
FROM (VALUES (1, format('{"expire": %s}', extract(epoch FROM :as_of)::bigint)), (2, format('{"expire": %s}', extract(epoch FROM :as_of)::bigint + 1)),
             (3, format('{"expire": %s}', extract(epoch FROM :as_of)::bigint - 1)), (4, '{"expire": null}'), (5, '{}'), (6, NULL), (7, '{"expire": "12"}')) x(n, v)
UNION ALL VALUES ('w', 'bot', 'discord', '{"expire": "never"}'::jsonb), ('w', 'db', 'postgresql', '{"expire": 1}');

INSERT INTO metrics SELECT id, '1', :as_of - ago
FROM (VALUES ('queue_count_default', interval '14 days'), ('queue_delay', '14 days 0.000001 s'), ('queue_delay', '13 days 23:59:59.999999'),
             ('queue_delay', '60 days'), ('queues', '60 days'), ('worker_busy', '60 days')) v(id, ago);
