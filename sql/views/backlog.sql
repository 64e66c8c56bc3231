-- What is due right now, policy by policy, and what keeps the rest. Reading it counts the rows.
CREATE OR REPLACE VIEW retention.backlog AS
SELECT p.name AS policy, c.due, c.kept, c.oldest, c.newest
FROM retention.policy p
CROSS JOIN LATERAL retention._window_set(p.*) w
CROSS JOIN LATERAL (SELECT pg_catalog.clock_timestamp() AS at) x
CROSS JOIN LATERAL retention._count(p.name, x.at, NULL, NULL, retention._window_at(p.*, w.older_than, x.at)) c
WHERE NOT p.report ORDER BY p.name;
