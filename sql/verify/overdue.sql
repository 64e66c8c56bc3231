-- Returns a finding if rows of a policy are overdue. The finding is information if $5 is true and
-- the last run left no row and succeeded after $2.
-- The query returns no finding in these cases:
-- - The policy is paused.
-- - The policy or its job was installed, or the database adopted, after $2, so no run could have
--   taken the rows.
-- $1: the policy
-- $2: the time at which the rows were due at the latest
-- $3: the limit of the count
-- $4: the job, whose scope contains the rows
-- $5: whether rows can become due after that time
-- $6: the table
WITH asked AS MATERIALIZED ( -- evaluated first: no row of a paused policy is counted
    SELECT p.name, j.scope FROM retention.install i CROSS JOIN retention.policy p CROSS JOIN retention.job j
    WHERE p.name = $1 AND j.name = $4 AND (nullif(greatest(p.installed_at, j.installed_at, i.adopted_at),
        'infinity') <= $2) IS NOT FALSE
      AND NOT EXISTS (SELECT FROM retention.setting s
                      WHERE s.name = 'paused' AND s.policy IN ('*', p.name, split_part(p.name, '@', 1)))
), counted AS MATERIALIZED (
    SELECT c.due, coalesce(c.capped, false) AS capped, a.scope
    FROM asked a CROSS JOIN LATERAL retention._count(a.name, $2, $3, a.scope, retention.window_of(a.name)) c
)
SELECT $1 AS policy, $6::text AS object, CASE WHEN x.since THEN 'info' ELSE '' END AS severity,
       format('%s overdue %s in table "%s" under policy "%s"%s', c.due || CASE WHEN c.capped THEN ' or more'
           ELSE '' END,
              CASE WHEN c.due = 1 AND NOT c.capped THEN 'row' ELSE 'rows' END, $6::text, $1,
              coalesce(' for ' || c.scope::text, '')) AS message,
       CASE WHEN x.since
            THEN format('The last run left no due rows, so these became due later; '
                        'the next run of job "%s" takes them.', $4)
            ELSE format('They were due at %s, and job "%s" should have taken them by its schedule.',
                        to_char($2 AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS "UTC"'), $4) END AS detail,
       CASE WHEN x.since THEN '' ELSE format('SELECT * FROM retention.status; CALL retention.run(%L%s);', $1,
                                                        CASE WHEN c.scope IS NOT NULL
                                                            THEN format(', scope => %L', c.scope) END) END AS hint
FROM counted c CROSS JOIN LATERAL (
    SELECT $5::boolean AND EXISTS (
        SELECT FROM retention.job_status l
        WHERE l.policy = $1 AND l.job = $4 AND isfinite(l.last_success_at) AND l.last_success_at > $2
          AND l.last_state = 'done' AND l.last_contended + l.last_refused = 0)) x (since)
WHERE c.due > 0
