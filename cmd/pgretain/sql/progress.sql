-- $1: the backend that runs.
SELECT p.policy, coalesce(p.due, -1), p.taken, coalesce(p.rows_per_second, 0)::bigint,
       coalesce(extract(epoch FROM p.time_left), -1)::float8,
       CASE WHEN p.waited_s > 0 THEN format('waited %s s for %s', p.waited_s, p.waited_for) ELSE '' END
FROM retention.progress p
WHERE p.pid = $1
ORDER BY p.run DESC
LIMIT 1;
