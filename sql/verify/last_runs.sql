-- How policies' runs ended. $1: policies; $2: the job of each, which its scheduled runs name. One row per
-- pair, in their order: the last success, failures in a row, whether the job ever ran it, and the last
-- run. A dry run is none of these. Each lookup is the end of a walk down index run_policy.
SELECT w.policy, w.job, t.last_success_at, coalesce(t.failed_in_a_row, 0) + coalesce(a.lone, 0), s.ran IS NOT NULL,
       coalesce(l.id, 0), coalesce(CASE a.lone WHEN 1 THEN 'abandoned' ELSE l.state END, ''),
       coalesce(l.message, ''), coalesce(l.contended + l.refused, 0)
FROM unnest($1::text[], $2::text[]) WITH ORDINALITY AS w (policy, job, n)
LEFT JOIN retention.total t ON t.policy = w.policy
LEFT JOIN LATERAL (SELECT true AS ran FROM retention.run r
                   WHERE r.policy = w.policy AND r.job = w.job AND NOT r.dry_run
                   ORDER BY r.id DESC LIMIT 1) s ON true
LEFT JOIN LATERAL (SELECT * FROM retention.run r WHERE r.policy = w.policy AND NOT r.dry_run
                   ORDER BY r.id DESC LIMIT 1) l ON true
-- Nobody has counted yet that this run's backend is gone. Looks into the server's locks: only where it must.
LEFT JOIN LATERAL (SELECT CASE WHEN l.state = 'running' THEN (NOT retention._alive(l.pid))::integer END AS lone) a ON true
ORDER BY w.n
