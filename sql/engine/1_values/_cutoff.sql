-- _cutoff returns as_of - window, computed like timestamptz - interval in time zone p_zone. It
-- subtracts months, then days, then the time. It subtracts the time in UTC, so the result is exact
-- when clocks change.
CREATE OR REPLACE FUNCTION retention._cutoff(p_as_of timestamptz, p_window interval, p_zone text) RETURNS timestamptz
LANGUAGE plpgsql IMMUTABLE SET search_path = pg_catalog, pg_temp AS $function$
DECLARE
    v_months CONSTANT interval := date_trunc('month', p_window);
    v_days CONSTANT interval := date_trunc('day', p_window) - v_months; v_at timestamptz := p_as_of;
BEGIN
    IF v_months <> interval '0' THEN v_at := ((v_at AT TIME ZONE p_zone) - v_months) AT TIME ZONE p_zone; END IF;
    IF v_days <> interval '0' THEN v_at := ((v_at AT TIME ZONE p_zone) - v_days) AT TIME ZONE p_zone; END IF;
    RETURN v_at - (p_window - v_months - v_days);
END $function$;
