-- The columns by which a hold names its row, in the order of key. NULL for holds by a column, and for those that were
-- placed before anybody wrote that down.
ALTER TABLE retention.hold ADD COLUMN IF NOT EXISTS key_columns text[];
