ALTER TABLE app.unnamed ADD CONSTRAINT unnamed_attachment
    FOREIGN KEY (message_id) REFERENCES app.attachment ON DELETE SET NULL;
