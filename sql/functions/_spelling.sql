-- Sets what decides how a value is spelled as batches have it; or, with what it answered before, back
-- as it was. For this transaction.
CREATE OR REPLACE FUNCTION retention._spelling(p_settings jsonb DEFAULT NULL) RETURNS jsonb
LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    v_before CONSTANT jsonb := (
        SELECT jsonb_object_agg(s.name, current_setting(s.name))
        FROM unnest('{TimeZone,DateStyle,IntervalStyle,bytea_output,extra_float_digits}'::text[]) AS s(name));
BEGIN
    PERFORM set_config(s.key, s.value, true)
    FROM jsonb_each_text(coalesce(p_settings, (
        SELECT jsonb_build_object('TimeZone', i.time_zone, 'DateStyle', 'ISO, YMD', 'IntervalStyle', 'postgres',
                                  'bytea_output', 'hex', 'extra_float_digits', '1')
        FROM retention.install i))) s;
    RETURN v_before;
END
$function$;
REVOKE ALL ON FUNCTION retention._spelling(jsonb) FROM PUBLIC;
