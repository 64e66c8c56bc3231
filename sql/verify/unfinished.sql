-- Policies whose newest runs all ended because a budget was spent. $1: policies; $2: how many runs. One row
-- per policy: when the first of these runs began, and what the last one says.
SELECT w.policy, x.since, x.message
FROM unnest($1::text[]) AS w (policy)
CROSS JOIN LATERAL (
    SELECT min(y.started_at) AS since, (array_agg(y.message ORDER BY y.id DESC))[1] AS message
    FROM (SELECT * FROM retention.run r WHERE r.policy = w.policy AND NOT r.dry_run AND r.state <> 'running'
          ORDER BY r.id DESC LIMIT $2) y
    HAVING count(*) FILTER (WHERE y.state = 'more' AND y.message LIKE 'the budget of %') = $2) x
ORDER BY 1
