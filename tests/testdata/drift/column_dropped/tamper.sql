ALTER TABLE app.session DROP COLUMN state;
