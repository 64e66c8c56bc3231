-- Findings on jobs whose last attempts failed, of which the run log knows nothing: they did not get so far. $1: jobs; $2:
-- what pg_cron says of each; $3: how many attempts failed in a row; $4: when the first of them was; $5: the runner.
SELECT w.n::integer AS place, format('pg_cron cannot start job "%s": its last %s attempts failed', w.job, w.failed) AS message,
       format('None of them got as far as a run. pg_cron says: %s.%s', rtrim(w.message, E'.\n '),
              CASE w.kind WHEN 'other' THEN format(' Role "%s" may find out more.', $5::text) END) AS detail,
       CASE w.kind WHEN 'connection' THEN format('Let role "%s" connect from the server itself: its password file, pg_hba.conf, cron.host; or set cron.use_background_workers.', $5::text)
                   WHEN 'worker' THEN 'Raise max_worker_processes, which pg_cron''s jobs share with replication and parallel queries.'
                   ELSE format('CALL retention.run_job(%L);', w.job) END AS hint
FROM (SELECT u.*, CASE WHEN starts_with(u.message, 'connection') THEN 'connection'
                       WHEN starts_with(u.message, 'could not start background') THEN 'worker' ELSE 'other' END AS kind
      FROM unnest($1::text[], $2::text[], $3::bigint[], $4::timestamptz[]) WITH ORDINALITY AS u (job, message, failed, since, n)) w
WHERE w.since IS NULL OR NOT EXISTS (SELECT FROM retention.run r WHERE r.job = w.job AND r.started_at >= w.since)
ORDER BY 1
