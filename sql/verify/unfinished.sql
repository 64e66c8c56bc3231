-- Returns the policies whose newest runs all ended because a budget was spent.
-- $1: an array of objects, one for each policy and job, with these keys:
--   - policy
--   - due: the time before which the first of these runs must have begun, NULL if the job's
--     schedule does not say
-- $2: how many of the newest runs are looked at
-- since: when the first of these runs began
-- message: what the last of these runs says
SELECT w.policy, x.since, x.message
FROM (SELECT u.policy, max(u.due) FROM jsonb_to_recordset($1) u (policy text, due timestamptz) GROUP BY 1) w (policy,
    before)
CROSS JOIN LATERAL (
    SELECT min(y.started_at) AS since, (array_agg(y.message ORDER BY y.id DESC))[1] AS message
    FROM (SELECT * FROM retention.run r WHERE r.policy = w.policy AND NOT r.dry_run AND r.state <> 'running'
          ORDER BY r.id DESC LIMIT $2) y
    HAVING count(*) FILTER (WHERE y.state = 'more' AND y.message LIKE 'the budget of %') = $2) x
WHERE (x.since < w.before) IS NOT FALSE
ORDER BY 1
