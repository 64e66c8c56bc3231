-- Returns for each policy and job whether the policy succeeded in time.
-- $1: an array of objects with these keys:
--   - policy, job
--   - due: the time by which the job should have succeeded, or NULL
-- n: the position in $1
-- paused: somebody paused the policy
-- job_ran: the job has run one of its policies in $1, or another policy
-- installed: when the policy and the job were installed and the database adopted: the last of these
-- success: when the policy last succeeded; NULL if it never did
-- counted: success or installed: the time with which due is compared; NULL if both are unknown
-- late: the policy should have succeeded again. A paused policy is never late.
-- missed_run, missed_message: the last call of the job that could not begin the policy; else NULL
-- A dry run does not count. Each lookup of a run reads the end of index run_policy. The whole run
-- log is read only for a job that has run none of its policies in $1.
WITH asked AS MATERIALIZED (
    SELECT w.*, EXISTS (SELECT FROM (SELECT FROM retention.run r
                                     WHERE r.policy = w.policy AND r.job = w.job AND NOT r.dry_run ORDER BY r.id DESC
                                         LIMIT 1) x) AS ran,
           EXISTS (SELECT FROM retention.setting s
                   WHERE s.name = 'paused' AND s.policy IN ('*', w.policy, split_part(w.policy, '@', 1))) AS paused
    FROM ROWS FROM (jsonb_to_recordset($1) AS (policy text, job text, due timestamptz))
         WITH ORDINALITY AS w (policy, job, due, n)
), jobs AS MATERIALIZED (
    SELECT j.job, CASE WHEN j.ran THEN true
                       ELSE EXISTS (SELECT FROM retention.run r WHERE r.job = j.job AND NOT r.dry_run) END AS ran
    FROM (SELECT a.job, bool_or(a.ran) AS ran FROM asked a GROUP BY 1) j
), run AS MATERIALIZED (
    SELECT w.*, j.ran AS job_ran, b.installed, s.success, l.missed_run,
           coalesce(CASE WHEN w.ran OR s.success >= b.installed THEN s.success END, b.installed, s.success) AS counted
    FROM asked w
    JOIN jobs j ON j.job = w.job
    LEFT JOIN LATERAL (SELECT greatest(p.installed_at, o.installed_at, i.adopted_at) AS installed
                       FROM retention.install i CROSS JOIN retention.policy p CROSS JOIN retention.job o
                       WHERE p.name = w.policy AND o.name = w.job) b ON true
    LEFT JOIN retention.job_status l ON l.policy = w.policy AND l.job = w.job
    CROSS JOIN LATERAL (
        SELECT CASE WHEN isfinite(l.last_success_at) IS NOT FALSE THEN l.last_success_at
                    ELSE (SELECT max(x.success) -- somebody wrote an infinite time; the run log has the true one
                          FROM (SELECT retention._success_at(r, l.scope) AS success FROM retention.run r
                                WHERE r.policy = w.policy AND r.state IN ('done', 'more') AND NOT r.dry_run
                                    AND isfinite(r.ended_at)
                                ORDER BY r.id DESC LIMIT 1) x) END) s (success)
)
SELECT r.n::integer AS n, r.paused, r.job_ran, r.installed, r.success, r.counted,
       NOT r.paused AND coalesce(r.counted <= r.due, false) AS late, m.id AS missed_run,
       coalesce(m.message, '') AS missed_message
FROM run r
LEFT JOIN LATERAL (SELECT * FROM retention.run x WHERE x.id = r.missed_run OFFSET 0) m
    ON NOT r.paused AND r.counted <= r.due
ORDER BY 1
