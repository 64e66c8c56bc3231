-- Returns the jobs whose names begin with $1.
SELECT 'job ' || j.jobname FROM cron.job j WHERE starts_with(j.jobname, $1) ORDER BY 1
