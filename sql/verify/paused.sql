-- Findings on policies that somebody paused. The name "*" stands for all policies.
SELECT s.policy, CASE s.policy WHEN '*' THEN 'all policies are paused'
    ELSE format('policy "%s" is paused', s.policy) END AS message,
       format('By "%s" at %s%s.', s.set_by, s.set_at::timestamptz(0)::text, ': ' || nullif(s.reason, '')) AS detail,
       CASE s.policy WHEN '*' THEN 'SELECT retention.resume();'
           ELSE format('SELECT retention.resume(%L);', s.policy) END AS hint
FROM retention.setting s WHERE s.name = 'paused' ORDER BY 1
