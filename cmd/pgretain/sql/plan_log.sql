-- Parameters: $1 policy, $2 scope. Reads the runs of 30 days that ended "done" or "more". Returns
-- how many rows the policy took in a day, and the median of the seconds that a run took. Both are
-- NULL without such runs. The rows of the first run became due before it, and do not count. The
-- number for a day is NULL if the runs cover less than a day.
WITH run AS (
    SELECT r.as_of, r.taken, extract(epoch FROM r.ended_at - r.started_at) AS seconds,
           row_number() OVER (ORDER BY r.as_of, r.id) AS n
    FROM retention.run r
    WHERE r.policy = $1 AND r.scope IS NOT DISTINCT FROM $2::text::jsonb AND NOT r.dry_run
      AND r.state IN ('done', 'more') AND r.started_at > now() - interval '30 days'
)
SELECT (sum(r.taken) FILTER (WHERE r.n > 1)
            / nullif(extract(epoch FROM max(r.as_of) - min(r.as_of)) / 86400, 0))::float8
           * CASE WHEN max(r.as_of) >= min(r.as_of) + interval '1 day' THEN 1 END,
       (percentile_cont(0.5) WITHIN GROUP (ORDER BY r.seconds::float8))
FROM run r;
