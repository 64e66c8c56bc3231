ALTER TABLE retention.job DROP COLUMN IF EXISTS installed_at;
