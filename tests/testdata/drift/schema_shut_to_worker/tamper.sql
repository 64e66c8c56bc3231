REVOKE USAGE ON SCHEMA app FROM retention_worker;
