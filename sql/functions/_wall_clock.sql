-- What a clock on the wall shows at p_until, or at any moment from p_from to then, whichever is
-- later: when clocks go back an hour they show earlier times than before. An expiry that is kept
-- without a time zone must not come before its time.
CREATE OR REPLACE FUNCTION retention._wall_clock(
    p_from timestamptz, p_until timestamptz, p_zone text)
RETURNS timestamp
LANGUAGE sql STABLE
SET search_path = pg_catalog, pg_temp
AS $function$
    SELECT greatest(p_until AT TIME ZONE p_zone, (x.before AT TIME ZONE p_zone) + (p_until - x.before))
    FROM (SELECT greatest(p_from, p_until - interval '3 hours') AS before) x
$function$;
REVOKE ALL ON FUNCTION retention._wall_clock(timestamptz, timestamptz, text) FROM PUBLIC;
