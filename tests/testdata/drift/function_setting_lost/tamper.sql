ALTER FUNCTION retention.session_expired_preview(timestamptz, bigint, jsonb, interval) RESET row_security;
