-- Reads what a policy needs to know once a run: joins and ceilings, by <policy>_start.
CREATE OR REPLACE FUNCTION retention._prepare_as_worker(p_run retention.run) RETURNS jsonb
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET timezone = 'UTC' SET datestyle = 'ISO, YMD'
SET intervalstyle = 'postgres' SET bytea_output = 'hex' SET extra_float_digits = 1 SET standard_conforming_strings = on
SET transform_null_equals = off SET array_nulls = on SET row_security = off SET jit = off AS $function$
DECLARE v_out jsonb;
BEGIN
    PERFORM retention._pin(retention._known(p_run.policy));
    EXECUTE format('SELECT retention.%I($1)', p_run.policy || '_start')
    INTO v_out USING retention._slice(p_run.as_of, p_run.older_than, p_run.scope);
    RETURN v_out;
END $function$;
