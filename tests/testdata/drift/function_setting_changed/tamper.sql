ALTER FUNCTION retention.message_ttl_count(timestamptz, bigint, boolean, jsonb, interval) SET search_path = public, pg_catalog;
