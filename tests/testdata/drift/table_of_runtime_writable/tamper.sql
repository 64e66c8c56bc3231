GRANT DELETE, TRUNCATE ON retention.run TO retention_operator;
