ALTER FUNCTION retention.message_ttl_preview(timestamptz, bigint, jsonb, interval) SET search_path = public, pg_catalog;
