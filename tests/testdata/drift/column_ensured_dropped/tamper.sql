ALTER TABLE app.message DROP COLUMN created_at;
