REVOKE DELETE ON app.message FROM retention_worker;
