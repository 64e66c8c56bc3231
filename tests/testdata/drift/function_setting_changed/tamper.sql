ALTER FUNCTION retention.message_ttl_count(timestamptz, bigint, boolean) SET search_path = public, pg_catalog;
