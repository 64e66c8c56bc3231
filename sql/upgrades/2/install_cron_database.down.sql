ALTER TABLE retention.install DROP COLUMN IF EXISTS cron_database;
