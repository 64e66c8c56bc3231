-- _evaluate_as_worker returns the rows of a query that evaluates a policy or report. All settings
-- on which expressions depend have fixed values.
CREATE OR REPLACE FUNCTION retention._evaluate_as_worker(p_query text, p_value jsonb, p_policy text) RETURNS SETOF jsonb
LANGUAGE plpgsql ROWS 1 SET search_path = pg_catalog, pg_temp SET timezone = 'UTC' SET datestyle = 'ISO, YMD'
SET intervalstyle = 'postgres' SET bytea_output = 'hex' SET extra_float_digits = 1 SET standard_conforming_strings = on
SET lc_monetary = 'C' SET lc_numeric = 'C' SET lc_time = 'C'
SET transform_null_equals = off SET array_nulls = on SET row_security = off SET jit = off AS $function$
BEGIN
    PERFORM retention._pin(retention._get_policy(p_policy));
    RETURN QUERY EXECUTE p_query USING p_value;
END $function$;
