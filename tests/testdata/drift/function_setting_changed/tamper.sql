ALTER FUNCTION retention.facts(text, timestamptz, bigint[], bigint) SET search_path = public, pg_catalog;
