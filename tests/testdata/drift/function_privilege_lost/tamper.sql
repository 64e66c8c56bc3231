REVOKE EXECUTE ON FUNCTION retention._begin(text, timestamptz, text, text) FROM retention_runner;
