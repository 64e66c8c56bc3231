-- Returns the windows that somebody set at run time.
-- in_force: false if the window does not hold, and the policy's own does
-- own: the window of the policy file; '' if it has none
-- set_at: in whole seconds, in the session's time zone
-- reason: '' if nobody gave one
SELECT p.name AS policy, w.note IS NULL AS in_force, coalesce(p.window_own::text, '') AS own, s.value,
       s.set_by, s.set_at::timestamptz(0)::text AS set_at, s.reason
FROM retention.setting s
JOIN retention.policy p ON p.name = s.policy
CROSS JOIN LATERAL retention._window_set(p.*) w
WHERE s.name = 'window' ORDER BY 1
