-- Returns severity, message and hint of each problem.
SELECT h.severity, concat(h.policy || ': ', h.problem), coalesce(h.hint, '') FROM retention.health() h;
