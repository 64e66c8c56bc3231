-- How many seconds the driver sleeps next, at most 0.1, so that no snapshot is held for long; NULL when it is time.
CREATE OR REPLACE FUNCTION retention._nap(p_wake_at timestamptz) RETURNS double precision
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $function$
BEGIN
    IF p_wake_at > clock_timestamp() THEN
        LOCK TABLE retention.run IN ROW EXCLUSIVE MODE;
        RETURN least(0.1, extract(epoch FROM p_wake_at - clock_timestamp()));
    END IF;
    RETURN NULL;
END $function$;
