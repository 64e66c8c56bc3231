-- How policies' runs ended. $1: policies; $2: the job of each, which its scheduled runs name. One row per
-- pair, in their order: the last success, failures in a row, whether the job ever ran it, whether it ever ran anything,
-- since when a migration or an adoption lets the policy run in the job (NULL where the registry lacks one),
-- and the last run. A dry run is none of these. Each lookup is the end of a walk down index run_policy; the whole log
-- is asked only about jobs of which no policy says that they ran.
WITH asked AS MATERIALIZED (
    SELECT w.policy, w.job, w.n,
           EXISTS (SELECT FROM (SELECT FROM retention.run r
                                WHERE r.policy = w.policy AND r.job = w.job AND NOT r.dry_run
                                ORDER BY r.id DESC LIMIT 1) x) AS ran
    FROM unnest($1::text[], $2::text[]) WITH ORDINALITY AS w (policy, job, n)
), jobs AS MATERIALIZED (
    SELECT j.job, CASE WHEN j.ran THEN true
                       ELSE EXISTS (SELECT FROM retention.run r WHERE r.job = j.job AND NOT r.dry_run) END AS ran
    FROM (SELECT a.job, bool_or(a.ran) AS ran FROM asked a GROUP BY 1) j
)
SELECT w.policy, w.job,
       CASE WHEN isfinite(t.last_success_at) IS NOT FALSE THEN t.last_success_at
            ELSE (SELECT r.ended_at FROM retention.run r -- a hand wrote that: the log knows better
                  WHERE r.policy = w.policy AND r.state IN ('done', 'more') AND NOT r.dry_run AND isfinite(r.ended_at)
                  ORDER BY r.id DESC LIMIT 1) END,
       coalesce(t.failed_in_a_row, 0) + coalesce(a.lone, 0), w.ran, j.ran, b.since,
       coalesce(l.id, 0), coalesce(CASE a.lone WHEN 1 THEN 'abandoned' ELSE l.state END, ''),
       coalesce(l.message, ''), coalesce(l.contended + l.refused, 0)
FROM asked w
JOIN jobs j ON j.job = w.job
LEFT JOIN LATERAL (SELECT greatest(p.installed_at, o.installed_at, i.adopted_at) AS since
                   FROM retention.install i CROSS JOIN retention.policy p CROSS JOIN retention.job o
                   WHERE p.name = w.policy AND o.name = w.job) b ON true
LEFT JOIN retention.total t ON t.policy = w.policy
LEFT JOIN LATERAL (SELECT * FROM retention.run r WHERE r.policy = w.policy AND NOT r.dry_run
                   ORDER BY r.id DESC LIMIT 1) l ON true
-- Nobody has counted yet that this run's backend is gone. Looks into the server's locks: only where it must.
LEFT JOIN LATERAL (SELECT CASE WHEN l.state = 'running' THEN (NOT retention._under_way(l.id))::integer END AS lone) a ON true
ORDER BY w.n
