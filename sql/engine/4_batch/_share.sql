-- Locks what guards read, by <policy>_share. Never queues for a lock, since others would wait behind it, but tries a
-- few times within milliseconds. Raises 55P03 where it is not to be had, or the role that migrates may not lock.
CREATE OR REPLACE FUNCTION retention._share(p_function text) RETURNS void LANGUAGE plpgsql AS $function$
BEGIN
    FOR v_try IN 1 .. 5 LOOP
        BEGIN
            EXECUTE format('SELECT retention.%I()', p_function);
            RETURN;
        EXCEPTION WHEN lock_not_available THEN PERFORM pg_sleep(0.001);
        WHEN insufficient_privilege THEN EXIT;
        END;
    END LOOP;
    RAISE lock_not_available USING MESSAGE = format('the locks of %s are not to be had', p_function);
END $function$;
