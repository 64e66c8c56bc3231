-- What the server goes by when it calls a function.
ALTER FUNCTION retention._paused(text) LEAKPROOF PARALLEL SAFE COST 0.1;
ALTER FUNCTION retention._is_held(oid, tid, timestamptz) COST 10000;
ALTER FUNCTION retention.take_events(integer, text) ROWS 1;
ALTER FUNCTION retention._key_columns(oid) IMMUTABLE STRICT PARALLEL RESTRICTED ROWS 7 SET work_mem = '1GB' RESET search_path;
