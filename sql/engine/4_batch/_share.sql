-- _share locks the tables from which guards read, by <policy>_share. It never waits for a lock,
-- because other sessions would wait behind it. Instead it tries five times within some
-- milliseconds. Raises 55P03 if it cannot obtain the locks, or if the migrating role lacks the
-- privilege.
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
    RAISE lock_not_available USING MESSAGE = format('could not obtain the locks of function %s', p_function);
END $function$;
