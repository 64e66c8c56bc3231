REVOKE SELECT ON retention.status, retention.metrics FROM retention_operator;
REVOKE USAGE ON SCHEMA retention FROM retention_runner;
REVOKE UPDATE ON retention.run FROM retention_owner;
REVOKE SELECT ON retention.run FROM retention_runner;
