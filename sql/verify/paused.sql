-- Returns the policies that somebody paused. The name "*" stands for all policies.
-- set_at: in whole seconds, in the session's time zone
-- reason: '' if nobody gave one
SELECT s.policy, s.set_by, s.set_at::timestamptz(0)::text AS set_at, s.reason
FROM retention.setting s WHERE s.name = 'paused' ORDER BY 1
