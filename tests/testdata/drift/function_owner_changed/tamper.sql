ALTER FUNCTION retention.adopt(text) OWNER TO retention_operator;
