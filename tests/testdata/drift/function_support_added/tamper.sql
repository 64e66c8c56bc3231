-- A support function may have the planner put something else in a call's place.
ALTER FUNCTION retention._running(bigint) SUPPORT pg_catalog.generate_series_int8_support;
