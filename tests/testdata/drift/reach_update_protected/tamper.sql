ALTER TABLE app.message ADD UNIQUE (body);
ALTER TABLE app.ledger ADD body text,
    ADD CONSTRAINT ledger_body FOREIGN KEY (body) REFERENCES app.message (body) ON UPDATE CASCADE;
ALTER TABLE app.unnamed ADD body text,
    ADD CONSTRAINT unnamed_body FOREIGN KEY (body) REFERENCES app.message (body) ON UPDATE SET NULL;
ALTER TABLE app.watch ADD body text,
    ADD CONSTRAINT watch_body FOREIGN KEY (body) REFERENCES app.message (body) ON UPDATE RESTRICT;
