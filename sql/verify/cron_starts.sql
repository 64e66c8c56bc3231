-- Returns the jobs for which pg_cron's last attempts, at least two, failed before a run began. Such
-- attempts leave no trace in the run log. A single failed attempt may come from a restart of the
-- server.
-- $1: names of jobs
-- $2: failed attempts, as query cron returns them
-- $3: an object that maps names of pg_cron jobs to names of jobs
-- place: the position of the job in $1
-- failed: the number of attempts in a row that failed
-- message: what pg_cron reported for the last one
SELECT w.n::integer AS place, w.job, w.failed, w.message
FROM (SELECT DISTINCT ON (j.n) j.job, j.n, f.message, f.failed, f.since
      FROM unnest($1::text[]) WITH ORDINALITY AS j (job, n)
      JOIN jsonb_to_recordset($2::jsonb) AS f (name text, message text, failed bigint, since timestamptz)
        ON f.failed > 1
      JOIN jsonb_each_text($3) AS c (name, job) ON c.name = f.name AND c.job = j.job
      ORDER BY j.n, f.name) w
WHERE w.since IS NULL OR NOT EXISTS (SELECT FROM retention.run r WHERE r.job = w.job AND r.started_at >= w.since)
ORDER BY 1
