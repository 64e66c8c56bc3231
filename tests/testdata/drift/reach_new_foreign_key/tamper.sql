ALTER TABLE app.unnamed ALTER message_id DROP NOT NULL, ADD CONSTRAINT unnamed_attachment
    FOREIGN KEY (message_id) REFERENCES app.attachment ON DELETE SET NULL;
