REVOKE USAGE ON SCHEMA app FROM retention_owner;
