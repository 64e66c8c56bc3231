ALTER TABLE retention.hold DROP COLUMN IF EXISTS row_seen;
