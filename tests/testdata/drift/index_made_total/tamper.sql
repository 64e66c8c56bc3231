DROP INDEX app.pgretain_session_900cbf4b;
CREATE INDEX pgretain_session_900cbf4b ON app.session (expires_at, id);
SELECT retention._record_index('app', 'pgretain_session_900cbf4b');
