ALTER TABLE app.session ALTER expires_at TYPE timestamp;
