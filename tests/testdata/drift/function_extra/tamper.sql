CREATE FUNCTION retention.message_ttl_batch(text) RETURNS text LANGUAGE sql AS 'SELECT $1';
