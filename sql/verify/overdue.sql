-- Returns one row if rows of a policy are overdue.
-- The query returns no row in these cases:
-- - The policy is paused.
-- - The policy or its job was installed, or the database adopted, after $2, so no run could have
--   taken the rows.
-- $1: the policy
-- $2: the time at which the rows were due at the latest
-- $3: the limit of the count
-- $4: the job, whose scope contains the rows
-- $5: whether rows can become due after that time
-- capped: the count reached the limit
-- scope: the scope of the job as JSON, '' if it has none
-- later: the rows became due after $2, because the last run left no row and succeeded after $2
WITH asked AS MATERIALIZED ( -- evaluated first: no row of a paused policy is counted
    SELECT p.name, j.scope FROM retention.install i CROSS JOIN retention.policy p CROSS JOIN retention.job j
    WHERE p.name = $1 AND j.name = $4 AND (nullif(greatest(p.installed_at, j.installed_at, i.adopted_at),
        'infinity') <= $2) IS NOT FALSE
      AND NOT EXISTS (SELECT FROM retention.setting s
                      WHERE s.name = 'paused' AND s.policy IN ('*', p.name, split_part(p.name, '@', 1)))
), counted AS MATERIALIZED (
    SELECT c.due, coalesce(c.capped, false) AS capped, a.scope
    FROM asked a CROSS JOIN LATERAL retention._count(a.name, $2, $3, a.scope, retention.window_of(a.name)) c
)
SELECT c.due, c.capped, coalesce(c.scope::text, '') AS scope, $5::boolean AND EXISTS (
    SELECT FROM retention.job_status l
    WHERE l.policy = $1 AND l.job = $4 AND isfinite(l.last_success_at) AND l.last_success_at > $2
      AND l.last_state = 'done' AND l.last_contended + l.last_refused = 0) AS later
FROM counted c
WHERE c.due > 0
