-- The instant that lies a window before as_of as timestamptz - interval has it in a session of that zone, months first;
-- what needs no clock on the wall does not go by it, since when clocks go back an hour has two instants there.
CREATE OR REPLACE FUNCTION retention._cutoff(
    p_as_of timestamptz, p_months integer, p_days integer, p_time interval, p_zone text) RETURNS timestamptz
LANGUAGE plpgsql IMMUTABLE SET search_path = pg_catalog, pg_temp AS $function$
DECLARE v_at timestamptz := p_as_of;
BEGIN
    IF p_months <> 0 THEN
        v_at := ((v_at AT TIME ZONE p_zone) - make_interval(months => p_months)) AT TIME ZONE p_zone;
    END IF;
    IF p_days <> 0 THEN
        v_at := ((v_at AT TIME ZONE p_zone) - make_interval(days => p_days)) AT TIME ZONE p_zone;
    END IF;
    RETURN v_at - p_time;
END $function$;
