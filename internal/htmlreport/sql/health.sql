-- Returns the problems that the runtime reports about itself.
SELECT h.severity, coalesce(h.policy, '') AS policy, h.problem, coalesce(h.hint, '') AS hint FROM retention.health() h
