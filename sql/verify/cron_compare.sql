-- Findings on pg_cron's jobs: a wanted job is missing (V040), differs (V041) or is switched off
-- (V042), or a job is not wanted (V043).
-- $1: the wanted jobs, an array of objects with keys name, schedule, command and database
-- $2: the existing jobs, an array of objects with the same keys, and id, user and active
-- $3: the runner
-- $4: true if schema cron is in another database than the policy file's
-- A wanted job whose database is empty belongs to the database of schema cron.
-- cron.schedule() neither switches an existing job on nor moves it to another database.
-- cron.alter_job() may only be called by roles to which an administrator granted it. The hint
-- therefore drops and re-creates such a job.
WITH wanted AS (
    SELECT w.n::integer AS n, w.name, w.schedule, w.command,
        coalesce(nullif(w.database, ''), current_database()) AS database, $3::text AS "user"
    FROM ROWS FROM (jsonb_to_recordset($1) AS (name text, schedule text, command text, database text))
         WITH ORDINALITY AS w (name, schedule, command, database, n)
), live AS (
    SELECT * FROM jsonb_to_recordset($2) AS l (id bigint, name text, schedule text, command text, database text,
        "user" text, active boolean)
), there AS (
    SELECT CASE WHEN $4::boolean THEN format(' Schema cron is in database "%s".', current_database())
        ELSE '' END AS sentence
), anew AS (
    SELECT w.n, format('SET ROLE %I; ', $3::text) AS role, format('SELECT cron.unschedule(%L); ', w.name) AS unschedule,
           CASE WHEN w.database = current_database()
               THEN format('SELECT cron.schedule(%L, %L, %L); RESET ROLE;', w.name, w.schedule, w.command)
                ELSE format('SELECT cron.schedule_in_database(%L, %L, %L, %L); RESET ROLE;', w.name, w.schedule,
                    w.command, w.database) END AS schedule
    FROM wanted w
)
SELECT w.n AS place, 'V040' AS code, '' AS kind, '' AS object,
    format('job "%s" is not in pg_cron', w.name) AS message, '' AS want, '' AS got,
       format('Role "%s" has no job of that name; nothing runs its policies.%s', $3::text, t.sentence) AS detail,
           a.role || a.schedule AS hint
FROM wanted w CROSS JOIN there t JOIN anew a ON a.n = w.n
WHERE NOT EXISTS (SELECT FROM live l WHERE l.name = w.name)
UNION ALL
SELECT w.n, 'V041', '', '', format('job "%s" has another %s in pg_cron', w.name, p.part), format('"%s"', p.want),
    format('"%s"', p.got),
       ltrim(t.sentence), a.role || CASE p.part WHEN 'user' THEN '' ELSE a.unschedule END || a.schedule
FROM wanted w CROSS JOIN there t JOIN anew a ON a.n = w.n JOIN live l ON l.name = w.name
CROSS JOIN LATERAL (VALUES ('schedule', w.schedule, l.schedule), ('command', w.command, l.command),
                           ('database', w.database, l.database), ('user', w.user, l.user)) AS p (part, want, got)
WHERE p.want <> p.got
UNION ALL
SELECT w.n, 'V042', '', '', format('job "%s" is switched off in pg_cron', w.name), '', '', ltrim(t.sentence), a.role
    || a.unschedule || a.schedule
FROM wanted w CROSS JOIN there t JOIN anew a ON a.n = w.n JOIN live l ON l.name = w.name
WHERE NOT l.active
UNION ALL
SELECT 0, 'V043', 'cron', coalesce(l.name, ''),
    format('job %s is in pg_cron, but not in the policy file', coalesce('"' || l.name || '"', l.id::text)), '', '',
       format('It runs %s on "%s".%s', l.command, l.schedule, t.sentence),
       format('SET ROLE %I; SELECT cron.unschedule(%s); RESET ROLE;', l.user,
           coalesce(quote_literal(l.name), l.id::text))
FROM live l CROSS JOIN there t
WHERE NOT EXISTS (SELECT FROM wanted w WHERE w.name = l.name)
ORDER BY 1, 4, 2
