-- Findings on jobs for which pg_cron's last attempts, at least two, failed before a run began. Such
-- attempts leave no trace in the run log. A single failed attempt may come from a restart of the
-- server.
-- $1: names of jobs
-- $2: failed attempts, as query cron returns them
-- $3: an object that maps names of pg_cron jobs to names of jobs
-- $4: the runner
SELECT w.n::integer AS place, format('pg_cron cannot start job "%s": its last %s attempts failed', w.job,
    w.failed) AS message,
       format('No attempt began a run. pg_cron reports: %s.%s', rtrim(w.message, E'.\n '),
              CASE w.kind WHEN 'other' THEN format(' Role "%s" may find out more.', $4::text) END) AS detail,
       CASE w.kind WHEN 'connection' THEN format('Let role "%s" connect from the server itself: its password file, pg_hba.conf, cron.host; or set cron.use_background_workers.', $4::text)
                   WHEN 'worker' THEN 'Raise max_worker_processes, which pg_cron''s jobs share with replication and parallel queries.'
                   ELSE format('CALL retention.run_job(%L);', w.job) END AS hint
FROM (SELECT u.*, CASE WHEN starts_with(u.message, 'connection') THEN 'connection'
                       WHEN starts_with(u.message, 'could not start background') THEN 'worker' ELSE 'other' END AS kind
      FROM (SELECT DISTINCT ON (j.n) j.job, j.n, f.message, f.failed, f.since
            FROM unnest($1::text[]) WITH ORDINALITY AS j (job, n)
            JOIN jsonb_to_recordset($2::jsonb) AS f (name text, message text, failed bigint, since timestamptz)
              ON f.failed > 1
            JOIN jsonb_each_text($3) AS c (name, job) ON c.name = f.name AND c.job = j.job
            ORDER BY j.n, f.name) u) w
WHERE w.since IS NULL OR NOT EXISTS (SELECT FROM retention.run r WHERE r.job = w.job AND r.started_at >= w.since)
ORDER BY 1
