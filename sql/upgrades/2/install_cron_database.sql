-- The database whose pg_cron starts the jobs; NULL where it is this one, or where nobody starts them.
ALTER TABLE retention.install ADD COLUMN IF NOT EXISTS cron_database text;
