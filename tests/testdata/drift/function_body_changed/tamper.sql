-- Somebody "repairs" a function in place.
DO $$ BEGIN
    EXECUTE replace(pg_get_functiondef('retention.message_ttl_rows'::regproc), '7', '1');
END $$;
