ALTER FUNCTION retention.session_expired_count(timestamptz, bigint, boolean) RESET row_security;
