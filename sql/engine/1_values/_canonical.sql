-- _canonical returns a value as text. The text does not depend on the settings of the session, and
-- every session can read it.
CREATE OR REPLACE FUNCTION retention._canonical(p_value anyelement) RETURNS text
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp SET timezone = 'UTC' SET datestyle = 'ISO, YMD'
SET intervalstyle = 'postgres' SET bytea_output = 'hex' SET extra_float_digits = 1 AS $function$
    SELECT p_value::text
$function$;
