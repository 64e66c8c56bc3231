-- When a migration last wrote the row: lateness is reckoned from then on. For older rows, when this column
-- came.
ALTER TABLE retention.job ADD COLUMN IF NOT EXISTS installed_at timestamptz NOT NULL DEFAULT pg_catalog.now();
