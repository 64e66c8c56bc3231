CREATE FUNCTION id(n bigint) RETURNS uuid LANGUAGE sql IMMUTABLE RETURN lpad(to_hex(n), 32, '0')::uuid;

INSERT INTO v1_runs_olap SELECT id(1), n, day, 'COMPLETED'
FROM (VALUES (date '2026-01-28'), ('2026-01-29'), ('2026-01-30'), ('2026-02-28'), ('2026-03-01')) d(day), generate_series(1, 3) n;
INSERT INTO v1_tasks_olap SELECT id(1), n, day, 'task' FROM (VALUES (date '2026-01-29'), ('2026-01-30')) d(day), generate_series(1, 3) n;
INSERT INTO v1_payload SELECT id(1), n, day, '{}' FROM (VALUES (date '2025-11-30'), ('2025-12-01')) d(day), generate_series(1, 3) n;

INSERT INTO payload_offload SELECT 'objects/' || day, day FROM (VALUES (date '2026-01-29'), ('2026-01-30'), ('2026-01-31'), ('2025-12-31')) d(day);
INSERT INTO worker SELECT id(n), (:as_of AT TIME ZONE 'UTC') - seen, (:as_of AT TIME ZONE 'UTC') - made
FROM (VALUES (1, interval '7 days', interval '1 year'), (2, '7 days 0.000001 s', '1 year'), (3, '6 days', '1 year'),
             (4, NULL, '8 days'), (5, NULL, '7 days'), (6, '8 days', '8 days')) v(n, seen, made);
INSERT INTO user_session SELECT id(n), (:as_of AT TIME ZONE 'UTC') + off
FROM (VALUES (1, interval '0'), (2, '0.000001 s'), (3, '-0.000001 s')) v(n, off);
INSERT INTO queue_item SELECT n, n % 3 > 0 FROM generate_series(1, 10) n;
