-- _window_at returns a window, raised or lowered to the policy's bounds. It compares the cutoffs at
-- p_as_of, because months differ in length.
CREATE OR REPLACE FUNCTION retention._window_at(p_policy retention.policy, p_window interval, p_as_of timestamptz)
RETURNS interval LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $function$
    SELECT CASE WHEN retention._cutoff(p_as_of, p_window, i.time_zone)
                     > retention._cutoff(p_as_of, (p_policy).window_at_least, i.time_zone)
                THEN (p_policy).window_at_least
                WHEN retention._cutoff(p_as_of, p_window, i.time_zone)
                     < retention._cutoff(p_as_of, (p_policy).window_at_most, i.time_zone)
                THEN (p_policy).window_at_most
                ELSE p_window END
    FROM retention.install i
$function$;
