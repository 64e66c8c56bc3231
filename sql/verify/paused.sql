-- Policies that somebody paused; "*" means all of them.
SELECT s.policy, s.set_by, s.set_at::timestamptz(0)::text, s.reason
FROM retention.setting s WHERE s.name = 'paused' ORDER BY 1
