-- The runner's jobs whose last attempts failed, by pg_cron's own account, as JSON: name, message, at (the last one), failed
-- (how many in a row) and since (the first of these).
SELECT coalesce(jsonb_agg(jsonb_build_object('name', a.jobname, 'message', a.message, 'at', a.at, 'failed', a.failed, 'since', a.since)), '[]')::text
FROM retention._cron_attempts() a
