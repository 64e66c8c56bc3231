ALTER TABLE app.ledger ADD CONSTRAINT ledger_message
    FOREIGN KEY (message_id) REFERENCES app.message ON DELETE CASCADE;
