-- The instant that lies a window before as_of, counted in a time zone's calendar: days and months
-- follow the clock on the wall, hours do not.
-- https://www.postgresql.org/docs/current/functions-datetime.html
CREATE OR REPLACE FUNCTION retention._cutoff(
    p_as_of timestamptz, p_months integer, p_days integer, p_time interval, p_zone text)
RETURNS timestamptz
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp
AS $function$
BEGIN
    RETURN ((p_as_of AT TIME ZONE p_zone) - make_interval(months => p_months, days => p_days))
           AT TIME ZONE p_zone - p_time;
END
$function$;
REVOKE ALL ON FUNCTION retention._cutoff(timestamptz, integer, integer, interval, text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION retention._cutoff(timestamptz, integer, integer, interval, text) TO retention_runner, retention_operator, retention_viewer;
