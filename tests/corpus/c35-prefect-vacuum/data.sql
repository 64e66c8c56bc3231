CREATE FUNCTION id(n bigint) RETURNS uuid LANGUAGE sql IMMUTABLE RETURN lpad(to_hex(n), 32, '0')::uuid;

INSERT INTO flow_run SELECT id(n), id(parent), state, :as_of - ago
FROM (VALUES (1, NULL::int, 'COMPLETED', interval '91 days'), (2, NULL, 'COMPLETED', '90 days'),
             (3, NULL, 'COMPLETED', '90 days 0.000001 s'), (4, NULL, 'COMPLETED', '89 days 23:59:59.999999'),
             (5, NULL, 'RUNNING', '200 days'), (6, 61, 'FAILED', '200 days'), (7, NULL, 'CRASHED', '200 days'),
             (8, NULL, 'CANCELLED', NULL), (9, NULL, 'FAILED', '100 days'), (10, NULL, 'COMPLETED', '1 day')) v(n, parent, state, ago);
INSERT INTO task_run SELECT id(100 + n), id(n) FROM generate_series(1, 10) n;
INSERT INTO task_run VALUES (id(120), NULL);

-- Runs 11 and 12 have gone long ago.
INSERT INTO log SELECT id(200 + n), id(n), 'started' FROM generate_series(1, 12) n;
INSERT INTO log VALUES (id(220), NULL, 'of no run');

INSERT INTO artifact SELECT id(n), key, :as_of - ago, id(run), 'table', to_jsonb(n)
FROM (VALUES (301, 'report', interval '95 days', 1), (302, 'report', '20 days', 4), (303, 'report', '20 days', 10),
             (304, 'report', '200 days', 2), (305, 'report', '10 days', 12), (306, 'chart', '100 days', 7), (307, 'chart', '101 days', 3),
             (308, 'note', '400 days', NULL), (309, NULL, '95 days', 9), (310, 'stable', '5 days', 10), (311, 'stable', '1 day', 11),
             (312, 'old', '300 days', 4)) v(n, key, ago, run);
INSERT INTO artifact_collection SELECT id(n), key, id(latest), id(run), 'table', to_jsonb(latest)
FROM (VALUES (401, 'report', 305, 12),       -- 305 goes: 302 and 303 are left and equally new
             (402, 'chart', 306, 7),         -- everything of its key goes
             (403, 'note', 399, 13),         -- points at nothing; 308 is of no run and is left
             (404, 'stable', 310, 10),       -- points at one that stays, although 311 was newer
             (405, 'gone', 398, 13)) v(n, key, latest, run);

INSERT INTO events SELECT id(500 + row_number() OVER ()), kind, :as_of - days * interval '1 day' - off
FROM (VALUES ('prefect.flow-run.heartbeat', 1), ('prefect.log.write', 3), ('prefect.flow-run.Completed', 7), ('x.log.y', 7), ('prefect.logout', 7)) k(kind, days),
     (VALUES (interval '0'), ('0.000001 s'), ('-0.000001 s'), ('100 days'), ('-12 hours')) o(off);
INSERT INTO event_resources SELECT id(600 + 10 * row_number() OVER (ORDER BY e.id) + n), e.id, e.occurred, 'flow' FROM events e, generate_series(1, 2) n;
INSERT INTO event_resources VALUES (id(9999), id(9998), :as_of - interval '1 year', 'of an event that is gone');
