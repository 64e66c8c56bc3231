SELECT h.severity, coalesce(h.policy, ''), h.problem, coalesce(h.hint, '') FROM retention.health() h
