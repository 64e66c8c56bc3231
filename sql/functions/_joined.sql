-- Two sentences as one, for the driver, which has no operator of its own.
CREATE OR REPLACE FUNCTION retention._joined(p_first text, p_second text) RETURNS text
LANGUAGE sql IMMUTABLE
SET search_path = pg_catalog, pg_temp
AS $function$
    SELECT concat_ws(E'\n', p_first, p_second)
$function$;
