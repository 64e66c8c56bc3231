-- Findings on windows that somebody set at run time. A window that is in force is information. A
-- window that is not in force is drift.
SELECT p.name AS policy, CASE WHEN w.note IS NULL THEN 'info' ELSE 'drift' END AS severity,
       CASE WHEN w.note IS NULL THEN format('the window of policy "%s" was set at run time', p.name)
            ELSE format('the window that was set for policy "%s" is not in force', p.name) END AS message,
       coalesce(p.window_own::text, '') AS want, s.value AS got,
       format('By "%s" at %s%s. set_window() with NULL removes it.', s.set_by, s.set_at::timestamptz(0)::text, ': '
           || nullif(s.reason, ''))
       || CASE WHEN w.note IS NULL THEN '' ELSE ' Its runs go by the policy''s own.' END AS detail,
       format('SELECT retention.set_window(%L, NULL, ''why'');', p.name) AS hint
FROM retention.setting s
JOIN retention.policy p ON p.name = s.policy
CROSS JOIN LATERAL retention._window_set(p.*) w
WHERE s.name = 'window' ORDER BY 1
