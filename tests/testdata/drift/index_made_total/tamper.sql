DROP INDEX app.pgretain_session_7e47bd1f;
CREATE INDEX pgretain_session_7e47bd1f ON app.session (expires_at, id);
SELECT retention._record_index('app', 'pgretain_session_7e47bd1f');
