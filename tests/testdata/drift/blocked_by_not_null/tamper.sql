-- The key took the rows along; now it would set NULL where nothing may be NULL.
ALTER TABLE app.attachment DROP CONSTRAINT attachment_message_id_fkey,
    ADD CONSTRAINT attachment_message_id_fkey FOREIGN KEY (message_id) REFERENCES app.message ON DELETE SET NULL;
