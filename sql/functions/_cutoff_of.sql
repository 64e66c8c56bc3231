-- _cutoff for an interval that is known only at run time.
CREATE OR REPLACE FUNCTION retention._cutoff_of(p_as_of timestamptz, p_window interval, p_zone text) RETURNS timestamptz
LANGUAGE sql IMMUTABLE SET search_path = pg_catalog, pg_temp AS $function$
    SELECT retention._cutoff(
        p_as_of, (extract(year FROM p_window) * 12 + extract(month FROM p_window))::integer,
        extract(day FROM p_window)::integer, make_interval(secs => extract(epoch FROM p_window
            - make_interval(months => (extract(year FROM p_window) * 12 + extract(month FROM p_window))::integer,
                            days => extract(day FROM p_window)::integer))::double precision), p_zone)
$function$;
