-- The bound of local times for an instant. Where clocks go back local times come twice and mean the second time; while
-- they come for the first time the bound stays at the first of them, or below it where a time on the bound is due.
CREATE OR REPLACE FUNCTION retention._local_floor(p_at timestamptz, p_zone text, p_inclusive boolean) RETURNS timestamp
LANGUAGE plpgsql IMMUTABLE SET search_path = pg_catalog, pg_temp AS $function$
DECLARE v_at timestamp := p_at AT TIME ZONE p_zone; v_again CONSTANT timestamptz := v_at AT TIME ZONE p_zone;
BEGIN
    IF v_again > p_at THEN
        SELECT min(m) INTO STRICT v_at
        FROM generate_series(date_trunc('minute', v_at) - (v_again - p_at), v_at, '1 minute') m
        WHERE m AT TIME ZONE p_zone > p_at;
        IF p_inclusive THEN RETURN v_at - interval '1 microsecond'; END IF;
    END IF;
    RETURN v_at;
END $function$;
