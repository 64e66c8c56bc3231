ALTER FUNCTION retention.session_expired_count(timestamptz, bigint, boolean, jsonb, interval) RESET row_security;
