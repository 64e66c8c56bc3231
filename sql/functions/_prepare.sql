-- Lets a policy read what it needs to know once a run: joins and ceilings.
CREATE OR REPLACE FUNCTION retention._prepare(p_run bigint, p_policy retention.policy) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET timezone = 'UTC' SET datestyle = 'ISO, YMD'
SET intervalstyle = 'postgres' SET bytea_output = 'hex' SET extra_float_digits = 1 SET standard_conforming_strings = on
SET transform_null_equals = off SET array_nulls = on SET row_security = off SET jit = off AS $function$
DECLARE v_slice retention.slice; v_inputs jsonb;
BEGIN
    IF p_policy.prepares THEN
        v_slice := (SELECT retention._slice(r.as_of, r.older_than, r.scope) FROM retention.run r WHERE r.id = p_run);
        PERFORM retention._pin();
        EXECUTE format('SELECT retention.%I($1)', p_policy.name || '_start') INTO v_inputs USING v_slice;
        UPDATE retention.run r SET inputs = v_inputs WHERE r.id = p_run;
    END IF;
END $function$;
