-- How a policy's runs ended. $1: the policy; $2: its job, which the scheduled runs name. One row:
-- the last success, failures in a row, whether the job ever ran it, whether the job ever ran
-- anything, and the last run. A dry run is none of these.
SELECT (SELECT t.last_success_at FROM retention.total t WHERE t.policy = $1),
       coalesce((SELECT t.failed_in_a_row FROM retention.total t WHERE t.policy = $1), 0),
       EXISTS (SELECT FROM retention.run r WHERE r.policy = $1 AND r.job = $2 AND NOT r.dry_run),
       EXISTS (SELECT FROM retention.run r WHERE r.job = $2 AND NOT r.dry_run),
       coalesce(l.id, 0),
       coalesce(CASE WHEN l.state = 'running' AND NOT retention._alive(l.pid) THEN 'abandoned'
                     ELSE l.state END, ''),
       coalesce(l.message, ''), coalesce(l.contended + l.refused, 0)
FROM (SELECT) AS one
LEFT JOIN LATERAL (SELECT * FROM retention.run r WHERE r.policy = $1 AND NOT r.dry_run
                   ORDER BY r.id DESC LIMIT 1) l ON true
