-- Returns jobs that have begun no run since pg_cron could not start them.
-- $1: names of jobs
-- $2: for each of them the time of the first failed attempt, NULL if unknown
SELECT w.job
FROM unnest($1::text[], $2::timestamptz[]) w (job, since)
WHERE w.since IS NULL OR NOT EXISTS (SELECT FROM retention.run r WHERE r.job = w.job AND r.started_at >= w.since)
