ALTER TABLE retention.hold DROP COLUMN IF EXISTS key_columns;
