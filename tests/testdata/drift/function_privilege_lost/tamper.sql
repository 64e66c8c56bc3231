REVOKE EXECUTE ON FUNCTION retention._begin(retention.request) FROM retention_runner;
