REVOKE USAGE ON SCHEMA retention FROM retention_runner, retention_operator;
