INSERT INTO retention.policy (name, table_name, hash, definition, passes, batch_rows, lock_timeout)
VALUES ('old', 'app.ledger', '', '', '[]', 1, '1s');
