-- Neither the rows of this table nor those that refer to attachments are anybody's business.
ALTER TABLE app.unnamed ADD CONSTRAINT unnamed_message FOREIGN KEY (message_id) REFERENCES app.message;
CREATE TABLE app.scan (attachment_id bigint REFERENCES app.attachment ON DELETE RESTRICT);
-- The guard reads these: the key only makes it strict. And nothing deletes what this one refers to.
ALTER TABLE app.watch ADD CONSTRAINT watch_session FOREIGN KEY (session_id) REFERENCES app.session;
CREATE TABLE app.elsewhere (unnamed_id bigint REFERENCES app.unnamed);
