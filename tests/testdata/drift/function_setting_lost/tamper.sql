ALTER FUNCTION retention.why(text, jsonb, timestamptz) RESET row_security;
