-- backlog counts the rows that are due now, and the rows that are kept, by what keeps them. It has
-- a row for each policy, or for each scope of the policy's jobs. Each query of the view counts the
-- rows.
-- problem: why the policy cannot be evaluated. The numbers are then NULL.
CREATE OR REPLACE VIEW retention.backlog AS
SELECT p.name AS policy, s.scope, c.due, c.kept, c.oldest, c.newest, c.problem
FROM retention.policy p
CROSS JOIN LATERAL retention._window_set(p.*) w
CROSS JOIN LATERAL retention._scopes(p.name) s (scope)
CROSS JOIN LATERAL (SELECT pg_catalog.clock_timestamp() AS at) x
CROSS JOIN LATERAL retention._count_or_problem(
    p.name, x.at, s.scope, retention._window_at(p.*, w.older_than, x.at)) c
WHERE NOT p.report ORDER BY p.name, s.scope;
