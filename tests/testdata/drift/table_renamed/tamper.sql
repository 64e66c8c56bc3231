ALTER TABLE app.session RENAME TO sessions;
