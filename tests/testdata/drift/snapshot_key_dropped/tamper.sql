ALTER TABLE app.session DROP CONSTRAINT session_pkey;
