-- Windows that somebody set at run time: the policy, its own window, the value, by whom, when, why,
-- and whether the value holds.
SELECT p.name, coalesce(p.window_own::text, ''), s.value, s.set_by, s.set_at::timestamptz(0)::text,
       s.reason, w.note IS NULL
FROM retention.setting s
JOIN retention.policy p ON p.name = s.policy
CROSS JOIN LATERAL retention._window_set(p.*) w
WHERE s.name = 'window' ORDER BY 1
