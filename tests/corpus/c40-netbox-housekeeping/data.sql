INSERT INTO core_configrevision VALUES (1, false, '{"CHANGELOG_RETENTION": 1, "JOB_RETENTION": 1}'), (2, true, '{"CHANGELOG_RETENTION": 90, "JOB_RETENTION": 0}');

-- object, what, days ago
INSERT INTO core_objectchange SELECT row_number() OVER (), :as_of - ago * interval '24 hours' - plus, action, 7, object
FROM (VALUES
    (1, 'create', 200, interval '0'), (1, 'update', 150, '0'), (1, 'update', 100, '0'),            -- keeps its creation and the newest update
    (2, 'create', 200, '0'), (2, 'update', 95, '0'), (2, 'delete', 91, '0'),                       -- is gone: everything goes
    (3, 'create', 100, '0'), (3, 'update', 99, '0'), (3, 'delete', 10, '0'),                       -- is gone: only the deletion is young
    (4, 'create', 300, '0'), (4, 'update', 120, '0'), (4, 'update', 120, '0'),                     -- two updates at one instant
    (5, 'create', 300, '0'), (5, 'update', 120, '0'), (5, 'update', 5, '0'),                       -- the newest update is young
    (6, 'delete', 95, '0'), (6, 'update', 92, '0'), (6, 'create', 93, '0'),                        -- clocks that disagree
    (7, 'update', 90, '0'), (7, 'update', 89, '0'), (7, 'update', 90, '0.000001 s'), (7, 'update', 90, '-0.000001 s'),
    (8, 'update', 500, '0'), (8, 'create', 500, '0')) v(object, action, ago, plus);
INSERT INTO core_objectchange SELECT 100 + id, "time", action, 8, changed_object_id FROM core_objectchange WHERE changed_object_id = 3 AND action <> 'delete';

INSERT INTO core_job SELECT n, :as_of - n * interval '100 days' FROM generate_series(1, 3) n;
INSERT INTO django_session SELECT 's' || n, :as_of + off FROM (VALUES (1, interval '0'), (2, '0.000001 s'), (3, '-0.000001 s')) v(n, off);
