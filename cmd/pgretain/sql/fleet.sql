-- How a database of a fleet stands: version of the runtime, the newest run with how it ended, and rows due that last
-- runs left.
SELECT i.runtime_version,
       coalesce((SELECT to_char(max(r.started_at), 'YYYY-MM-DD HH24:MI:SSOF') FROM retention.run r), ''),
       coalesce((SELECT s.last_state FROM retention.job_status s WHERE s.last_run IS NOT NULL ORDER BY s.last_run DESC LIMIT 1), ''),
       (SELECT sum(x.rows_left)::bigint
        FROM (SELECT max(s.rows_left) AS rows_left FROM retention.job_status s
              WHERE NOT s.superseded GROUP BY s.policy, s.scope) x)
FROM retention.install i;
