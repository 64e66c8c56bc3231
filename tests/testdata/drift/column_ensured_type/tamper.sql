ALTER TABLE app.message ALTER COLUMN created_at TYPE timestamptz(0);
