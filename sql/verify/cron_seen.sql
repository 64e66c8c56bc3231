-- Returns false if the runner may not read the jobs of schema cron in this database.
SELECT retention._cron_seen() IS NOT FALSE
