ALTER FUNCTION retention._why_as_worker(text, jsonb, timestamptz) RESET row_security;
