-- The index is gone; what is left does not find the attachments of one message.
INSERT INTO app.message (body) SELECT 'm' FROM generate_series(1, 10);
INSERT INTO app.attachment (message_id) SELECT 1 + n % 10 FROM generate_series(1, 20000) n;
DROP INDEX app.attachment_message;
CREATE INDEX attachment_some ON app.attachment (message_id) WHERE id > 10;
CREATE INDEX attachment_last ON app.attachment (id, message_id);
CREATE INDEX attachment_brin ON app.attachment USING brin (message_id);
CREATE INDEX attachment_expression ON app.attachment ((message_id + 0));
-- A small table is read as fast as an index.
ALTER TABLE app.watch ADD CONSTRAINT watch_session FOREIGN KEY (session_id) REFERENCES app.session;
ANALYZE app.attachment;
