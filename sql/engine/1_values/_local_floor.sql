-- _local_floor returns the cutoff as a local time. When clocks go back, one hour of local times
-- occurs twice. The policy assumes that rows in this hour are from its second occurrence. During
-- the first occurrence, the cutoff therefore stays at the start of that hour.
-- p_inclusive: true if a time equal to the cutoff is due. The cutoff then stays one microsecond
--   before that hour.
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
