-- Findings on how runs ended, from view job_status. V045: a policy has not succeeded in time. V046:
-- the last run failed, tripped or was abandoned. V047: a job could not run a policy. V082: runs
-- left due rows and took none. V083: rows were refused. V048: a job never ran. Only V048 has a
-- place, the position in $1.
-- $1: an array of objects with these keys:
--   - policy, job
--   - kind: "policy" or "report"
--   - due: the time by which the job should have succeeded, or NULL
-- $2: failed attempts, as query cron returns them
-- $3: an object that maps names of pg_cron jobs to names of jobs
-- $4: the database that has schema cron, '' if it is this one, NULL without pg_cron
-- $5: the runner
-- A dry run does not count, and a paused policy is never late. One failure is information if the
-- policy succeeded in time before, because the job tries again. A tripped breaker is drift, because
-- somebody has to act.
-- Each lookup of a run reads the end of index run_policy. The whole run log is read only for a job
-- that has run none of its policies in $1.
WITH asked AS MATERIALIZED (
    SELECT w.*, EXISTS (SELECT FROM (SELECT FROM retention.run r
                                     WHERE r.policy = w.policy AND r.job = w.job AND NOT r.dry_run ORDER BY r.id DESC
                                         LIMIT 1) x) AS ran,
           EXISTS (SELECT FROM retention.setting s
                   WHERE s.name = 'paused' AND s.policy IN ('*', w.policy, split_part(w.policy, '@', 1))) AS paused
    FROM ROWS FROM (jsonb_to_recordset($1) AS (policy text, job text, kind text, due timestamptz))
         WITH ORDINALITY AS w (policy, job, kind, due, n)
), jobs AS MATERIALIZED (
    SELECT j.job, CASE WHEN j.ran THEN true
                       ELSE EXISTS (SELECT FROM retention.run r WHERE r.job = j.job AND NOT r.dry_run) END AS ran
    FROM (SELECT a.job, bool_or(a.ran) AS ran FROM asked a GROUP BY 1) j
), run AS MATERIALIZED (
    SELECT w.*, j.ran AS job_ran, s.success, b.since, l.last_state, l.missed_run,
           coalesce(CASE WHEN w.ran OR s.success >= b.since THEN s.success END, b.since, s.success) AS counted
    FROM asked w
    JOIN jobs j ON j.job = w.job
    LEFT JOIN LATERAL (SELECT greatest(p.installed_at, o.installed_at, i.adopted_at) AS since
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
), evaluated AS (
    SELECT r.*, NOT r.paused AND coalesce(r.counted <= r.due, false) AS late,
           (SELECT format(' pg_cron''s last attempt%s failed: %s.',
                          ', at ' || to_char(f.at AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS "UTC"') || ',',
                              rtrim(f.message, E'.\n '))
            FROM jsonb_to_recordset($2::jsonb) AS f (name text, message text, at timestamptz)
            JOIN jsonb_each_text($3) AS c (name, job) ON c.name = f.name AND c.job = r.job
            ORDER BY f.name LIMIT 1) AS attempt
    FROM run r
)
SELECT 0 AS place, 'V045' AS code, '' AS severity, j.policy,
    format('%s "%s" has not succeeded in time', j.kind, j.policy) AS message,
       concat(CASE WHEN j.counted = j.success THEN 'It last succeeded at ' ELSE 'It was installed at ' END,
              to_char(j.counted AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS "UTC"'),
              format('; with the schedule of job "%s" it should have succeeded after %s.', j.job,
                     to_char(j.due AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS "UTC"')),
              (SELECT format(' Its last call (%s) could not begin: %s.', m.id, translate(m.message, E'\n\r', '  '))
                  FROM retention.run m WHERE m.id = j.missed_run), j.attempt,
              CASE WHEN $4::text IS NULL THEN format(' Look at whatever calls "pgretain run --job %s".', j.job)
                   ELSE concat(' What pg_cron knows is in cron.job_run_details', ' of database "'
                       || nullif($4::text, '') || '"',
                               format(', for role "%s".', $5::text)) END) AS detail,
       'SELECT * FROM retention.status;' AS hint
FROM evaluated j WHERE j.late
UNION ALL
-- A message may contain a line such as "::error::", which a CI system would take for a command.
SELECT DISTINCT 0, x.code, x.severity, o.policy, x.message, translate(x.detail, E'\n\r', '  '), x.hint
FROM (SELECT DISTINCT a.policy, a.kind FROM asked a) o
JOIN retention.job_status s ON s.policy = o.policy AND NOT s.superseded
LEFT JOIN evaluated j ON j.policy = s.policy AND j.job = s.job
LEFT JOIN LATERAL (SELECT * FROM retention.run r WHERE r.id = s.missed_run OFFSET 0) m ON true
LEFT JOIN LATERAL (SELECT * FROM retention.run r WHERE r.id = s.refused_run OFFSET 0) f ON true
CROSS JOIN LATERAL (SELECT coalesce(' for ' || nullif(retention._scope_text(s.scope), ''), '') AS scope,
                           -- An abandoned run in state 'running' is not yet in failed_in_a_row.
                           s.failed_in_a_row + (SELECT count(*) FROM retention.run u WHERE u.id = s.last_run
                               AND u.state = 'running'
                               AND s.last_state = 'abandoned') AS failed,
                           s.mended AS mended,
                           -- Tables of one schema get the owner that most other schemas have.
                           (SELECT string_agg(e.mend, ' ' ORDER BY e.n)
                            FROM substring(s.last_message FROM ' belongs to role "(.+)", which is not trusted') u (name)
                            CROSS JOIN LATERAL (
                                SELECT c.relname, c.relowner, h.nspowner
                                FROM retention.policy p
                                JOIN pg_namespace h ON concat(split_part(s.policy, '@', 1), '@', h.nspname) = p.name
                                JOIN pg_class c ON c.relnamespace = h.oid
                                 AND concat(h.nspname, '.', c.relname) = p.table_name
                                WHERE p.name <> s.policy AND u.name NOT IN (pg_get_userbyid(c.relowner),
                                                                            pg_get_userbyid(h.nspowner))
                                GROUP BY 1, 2, 3 ORDER BY count(*) DESC, 1, 2, 3 LIMIT 1) k
                            JOIN pg_namespace h ON concat(split_part(s.policy, '@', 1), '@', h.nspname) = s.policy
                            JOIN pg_class c ON c.relnamespace = h.oid AND c.relname = k.relname
                            CROSS JOIN LATERAL (VALUES
                                (1, h.nspowner, format('ALTER SCHEMA %I OWNER TO %I;', h.nspname,
                                                       pg_get_userbyid(k.nspowner))),
                                (2, c.relowner, format('ALTER TABLE %I.%I OWNER TO %I;', h.nspname, c.relname,
                                                       pg_get_userbyid(k.relowner)))) e (n, owner, mend)
                            WHERE pg_get_userbyid(e.owner) = u.name) AS mend OFFSET 0) n
CROSS JOIN LATERAL (VALUES
    ('V046', s.last_state IN ('failed', 'tripped', 'abandoned'),
     CASE WHEN n.mended OR j.success IS NOT NULL AND j.due IS NOT NULL AND NOT j.late AND NOT j.paused AND n.failed <= 1
               AND s.last_state <> 'tripped' THEN 'info' ELSE '' END,
     format('the last run of %s "%s"%s (%s) %s%s', o.kind, o.policy, n.scope, s.last_run,
            CASE s.last_state WHEN 'failed' THEN '' ELSE 'was ' END || s.last_state,
            CASE WHEN n.failed > 1 THEN format(', %s in a row', n.failed) END),
     concat_ws('. ', rtrim(s.last_message, '.'), CASE WHEN n.mended THEN
         'Nothing that can be seen stops the next run. The hint runs the policy now.' END),
     coalesce(CASE WHEN n.mended THEN retention._run_again(s.policy, s.scope) END, n.mend,
         retention._trip_hint(s.last_tripped_by, s.policy, s.last_message),
         'Remove the cause that the message names. The next run tries again.')),
    ('V047', m.id IS NOT NULL, '', format('job "%s" could not run %s "%s"%s', s.job, o.kind, o.policy, n.scope),
     format('Its last call (%s) at %s: %s.', m.id,
         to_char(m.ended_at AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS "UTC"'), m.message),
     format('CALL retention.run_job(%L);', s.job)),
    ('V082', s.empty_in_a_row >= 3, '',
     format('the last %s runs of %s "%s"%s left due rows and took none', s.empty_in_a_row, o.kind, o.policy, n.scope),
     coalesce(s.last_message, ''), format('SELECT * FROM retention.run WHERE id = %s;', s.last_run)),
    ('V083', f.id IS NOT NULL, '',
     format('%s refused in run %s of %s "%s"%s', CASE f.refused WHEN 1 THEN '1 row was' ELSE f.refused
         || ' rows were' END,
            f.id, o.kind, o.policy, n.scope),
     coalesce((SELECT b.message FROM retention.batch b WHERE b.run_id = f.id AND b.refused > 0 AND b.message IS NOT NULL
               ORDER BY b.n LIMIT 1), ''), format('SELECT message FROM retention.batch WHERE run_id = %s AND refused > 0;', f.id))
) x (code, given, severity, message, detail, hint)
WHERE x.given
UNION ALL
SELECT j.n::integer, 'V048', 'info', '', format('job "%s" has not run yet', j.job), coalesce(ltrim(j.attempt), ''), ''
FROM evaluated j WHERE NOT j.late AND NOT j.paused AND NOT j.job_ran
UNION ALL -- a NULL message: the caller reports that the query cannot be read
SELECT 0, '', '', j.policy, j.since::text || NULL, '', '' FROM evaluated j WHERE NOT isfinite(j.since)
ORDER BY 1, 2, 4
