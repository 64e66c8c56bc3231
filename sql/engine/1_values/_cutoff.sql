-- The instant that lies a window before as_of as timestamptz - interval has it in a session of that zone, months first;
-- what needs no clock on the wall does not go by it, since when clocks go back an hour has two instants there.
CREATE OR REPLACE FUNCTION retention._cutoff(p_as_of timestamptz, p_window interval, p_zone text) RETURNS timestamptz
LANGUAGE plpgsql IMMUTABLE SET search_path = pg_catalog, pg_temp AS $function$
DECLARE
    v_months CONSTANT interval := make_interval(
        months => (extract(year FROM p_window) * 12 + extract(month FROM p_window))::integer);
    v_days CONSTANT interval := make_interval(days => extract(day FROM p_window)::integer); v_at timestamptz := p_as_of;
BEGIN
    IF v_months <> interval '0' THEN v_at := ((v_at AT TIME ZONE p_zone) - v_months) AT TIME ZONE p_zone; END IF;
    IF v_days <> interval '0' THEN v_at := ((v_at AT TIME ZONE p_zone) - v_days) AT TIME ZONE p_zone; END IF;
    RETURN v_at - (p_window - v_months - v_days);
END $function$;
