ALTER TABLE retention.policy DROP COLUMN IF EXISTS writes;
