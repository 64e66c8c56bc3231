DROP TABLE app.status;
CREATE VIEW app.seen AS SELECT id FROM app.item;
ALTER SCHEMA billing RENAME TO invoices;
