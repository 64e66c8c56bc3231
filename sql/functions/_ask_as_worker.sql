-- ask(): the rows of <report>_report. Raises 22023 for a policy.
CREATE OR REPLACE FUNCTION retention._ask_as_worker(p_report text, p_as_of timestamptz)
RETURNS TABLE (answer jsonb, alert boolean)
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp SET timezone = 'UTC'
SET datestyle = 'ISO, YMD' SET intervalstyle = 'postgres' SET bytea_output = 'hex' SET extra_float_digits = 1
SET standard_conforming_strings = on SET transform_null_equals = off SET array_nulls = on SET row_security = off
AS $function$
DECLARE v_report CONSTANT retention.policy := retention._known(p_report);
BEGIN
    IF NOT v_report.report THEN
        RAISE invalid_parameter_value USING MESSAGE = format('"%s" is a policy, not a report', p_report);
    END IF;
    PERFORM retention._pin(v_report);
    RETURN QUERY EXECUTE format('SELECT r.answer, r.alert FROM retention.%I($1) r', p_report || '_report')
    USING p_as_of;
END $function$;
