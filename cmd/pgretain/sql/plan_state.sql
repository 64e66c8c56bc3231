-- Copies from the installed runtime what decides which rows are due: holds, windows set at run
-- time, pauses and events. Also copies the newest runs, from which a preview estimates the duration
-- of a run.
INSERT INTO pg_temp.hold OVERRIDING SYSTEM VALUE SELECT * FROM retention.hold WHERE released_at IS NULL;
INSERT INTO pg_temp.setting SELECT * FROM retention.setting;
INSERT INTO pg_temp.event OVERRIDING SYSTEM VALUE SELECT * FROM retention.event;
INSERT INTO pg_temp.run OVERRIDING SYSTEM VALUE
SELECT r.* FROM retention.policy p CROSS JOIN LATERAL (
    SELECT r.* FROM (SELECT * FROM retention.run x WHERE x.policy = p.name ORDER BY x.id DESC LIMIT 1000) r
    WHERE r.state IN ('done', 'more') AND r.taken >= 1000 ORDER BY r.id DESC LIMIT 5) r;
