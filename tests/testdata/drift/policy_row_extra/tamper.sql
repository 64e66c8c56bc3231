INSERT INTO retention.policy (name, table_name, hash, definition, passes, batch_rows, lock_timeout_ms)
VALUES ('old', 'app.ledger', '', '', '[]', 1, 1000);
