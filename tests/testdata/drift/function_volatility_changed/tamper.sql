ALTER FUNCTION retention._running(bigint) IMMUTABLE;
