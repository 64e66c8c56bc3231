-- Whether the row of a hold by its key was there when the hold was placed: only then can it be missing.
-- NULL for holds that were placed before anybody wrote that down.
ALTER TABLE retention.hold ADD COLUMN IF NOT EXISTS row_seen boolean;
ALTER TABLE retention.hold ALTER COLUMN row_seen SET DEFAULT true;
