ALTER TABLE retention.policy DROP COLUMN IF EXISTS installed_at;
