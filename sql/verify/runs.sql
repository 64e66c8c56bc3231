-- Findings on how runs ended: a policy that has not succeeded in time (V045), a last run that went wrong (V046), a job that
-- never ran (V048, at the place of the pair). $1: an array of policy, job, kind, "policy" or "report", and due, the instant
-- after which the job should have succeeded, NULL without one; $2: what failed, as query cron has it, $3: an object of the
-- names there with the job of each; $4: the database where that is looked up, '' this one, NULL without pg_cron; $5: the runner. A
-- dry run is no run. Of one that is paused it is not said that it is late. One failure of a policy that succeeded in time
-- before is for information, for it will be tried again; a breaker waits for a person. Each lookup is the end of a walk down
-- index run_policy; the whole log is asked only about jobs of which no policy says that they ran.
WITH asked AS MATERIALIZED (
    SELECT w.*, EXISTS (SELECT FROM (SELECT FROM retention.run r
                                     WHERE r.policy = w.policy AND r.job = w.job AND NOT r.dry_run ORDER BY r.id DESC LIMIT 1) x) AS ran,
           EXISTS (SELECT FROM retention.setting s
                   WHERE s.name = 'paused' AND s.policy IN ('*', w.policy, split_part(w.policy, '@', 1))) AS paused
    FROM ROWS FROM (jsonb_to_recordset($1) AS (policy text, job text, kind text, due timestamptz))
         WITH ORDINALITY AS w (policy, job, kind, due, n)
), jobs AS MATERIALIZED (
    SELECT j.job, CASE WHEN j.ran THEN true
                       ELSE EXISTS (SELECT FROM retention.run r WHERE r.job = j.job AND NOT r.dry_run) END AS ran
    FROM (SELECT a.job, bool_or(a.ran) AS ran FROM asked a GROUP BY 1) j
), run AS MATERIALIZED (
    SELECT w.*, j.ran AS job_ran, s.success, b.since, l.id, CASE a.lone WHEN 1 THEN 'abandoned' ELSE l.state END AS state, l.message, l.tripped_by,
           coalesce(t.failed_in_a_row, 0) + coalesce(a.lone, 0) AS failed,
           coalesce(CASE WHEN w.ran OR s.success >= b.since THEN s.success END, b.since, s.success) AS counted
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
    CROSS JOIN LATERAL (
        SELECT CASE WHEN isfinite(t.last_success_at) IS NOT FALSE THEN t.last_success_at
                    ELSE (SELECT max(x.success) -- a hand wrote that: the log knows better
                          FROM (SELECT retention._success_at(r, o.scope) AS success FROM retention.run r
                                CROSS JOIN (SELECT j.scope FROM retention.job j WHERE j.name = w.job) o
                                WHERE r.policy = w.policy AND r.state IN ('done', 'more') AND NOT r.dry_run AND isfinite(r.ended_at)
                                ORDER BY r.id DESC LIMIT 1) x) END) s (success)
), judged AS (
    SELECT r.*, NOT r.paused AND coalesce(r.counted <= r.due, false) AS late,
           (SELECT format(' pg_cron''s last attempt%s failed: %s.',
                          ', at ' || to_char(f.at AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS "UTC"') || ',', rtrim(f.message, E'.\n '))
            FROM jsonb_to_recordset($2::jsonb) AS f (name text, message text, at timestamptz)
            JOIN jsonb_each_text($3) AS c (name, job) ON c.name = f.name AND c.job = r.job
            ORDER BY f.name LIMIT 1) AS attempt
    FROM run r
)
SELECT 0 AS place, 'V045' AS code, '' AS severity, j.policy, format('%s "%s" has not succeeded in time', j.kind, j.policy) AS message,
       concat(CASE WHEN j.counted = j.success THEN 'It last succeeded at ' ELSE 'It was installed at ' END,
              to_char(j.counted AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS "UTC"'),
              format('; with the schedule of job "%s" it should have succeeded after %s.', j.job,
                     to_char(j.due AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS "UTC"')),
              CASE j.state WHEN 'busy' THEN format(' The last run (%s) ended busy: %s.', j.id, j.message) END, j.attempt,
              CASE WHEN $4::text IS NULL THEN format(' Look at whatever calls "pgretain run --job %s".', j.job)
                   ELSE concat(' What pg_cron knows is in cron.job_run_details', ' of database "' || nullif($4::text, '') || '"',
                               format(', for role "%s".', $5::text)) END) AS detail,
       'SELECT * FROM retention.status;' AS hint
FROM judged j WHERE j.late
UNION ALL
SELECT 0, 'V046', CASE WHEN j.success IS NOT NULL AND j.due IS NOT NULL AND NOT j.late AND NOT j.paused AND j.failed <= 1
                            AND j.state <> 'tripped' THEN 'info' ELSE '' END, j.policy,
       format('the last run of %s "%s" (%s) %s%s', j.kind, j.policy, j.id, CASE j.state WHEN 'failed' THEN '' ELSE 'was ' END || j.state,
              CASE WHEN j.failed > 1 THEN format(', %s in a row', j.failed) END),
       coalesce(j.message, ''), coalesce(retention._way_out(j.tripped_by, j.policy, j.message), 'SELECT * FROM retention.health();')
FROM judged j WHERE j.state IN ('failed', 'tripped', 'abandoned')
UNION ALL
SELECT j.n::integer, 'V048', 'info', '', format('job "%s" has not run yet', j.job), coalesce(ltrim(j.attempt), ''), ''
FROM judged j WHERE NOT j.late AND NOT j.paused AND NOT j.job_ran
UNION ALL -- which cannot be read
SELECT 0, '', '', j.policy, j.since::text || NULL, '', '' FROM judged j WHERE NOT isfinite(j.since)
ORDER BY 1, 2, 4
