-- The newest ended runs of policies that wrote into an archive, as the policy is now: at most 20 with
-- 100000 rows together, none that somebody restored from. $1: policies; $2: an archive of each. One row per
-- run (n: the place of the pair from 1): the run and how many rows its log says.
SELECT w.n::integer, x.id, x.rows
FROM unnest($1::text[], $2::text[]) WITH ORDINALITY AS w (policy, archive, n)
JOIN retention.policy p ON p.name = w.policy
CROSS JOIN LATERAL (
    SELECT y.id, y.rows, sum(y.rows) OVER (ORDER BY y.id DESC) AS together
    FROM (SELECT r.id, (r.related ->> w.archive)::bigint AS rows
          FROM retention.run r
          WHERE r.policy = w.policy AND r.policy_hash = p.hash AND r.state <> 'running'
            AND (r.related ->> w.archive)::bigint > 0
            AND NOT EXISTS (SELECT FROM retention.restored s WHERE s.run_id = r.id)
          ORDER BY r.id DESC LIMIT 20) y) x
WHERE x.together <= 100000
ORDER BY 1, 2
