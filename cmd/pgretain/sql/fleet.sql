-- Returns the status of one database of a fleet: version of the runtime, time and state of the
-- newest run, and the due rows that the last runs did not take.
SELECT i.runtime_version,
       coalesce((SELECT to_char(max(r.started_at), 'YYYY-MM-DD HH24:MI:SSOF') FROM retention.run r), ''),
       coalesce((SELECT s.last_state FROM retention.job_status s
                 WHERE s.last_run IS NOT NULL ORDER BY s.last_run DESC LIMIT 1), ''),
       (SELECT sum(x.rows_left)::bigint
        FROM (SELECT max(s.rows_left) AS rows_left FROM retention.job_status s
              WHERE NOT s.superseded GROUP BY s.policy, s.scope) x)
FROM retention.install i;
