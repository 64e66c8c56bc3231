INSERT INTO retention.policy (name, table_name, hash)
VALUES ('old', 'app.ledger', '');
