-- $1: the backend that runs.
SELECT p.policy, coalesce(p.due, -1), p.taken, coalesce(p.rows_per_second, 0)::bigint,
       coalesce(extract(epoch FROM p.time_left), -1)::float8
FROM retention.progress p
WHERE p.pid = $1
ORDER BY p.run DESC
LIMIT 1;
