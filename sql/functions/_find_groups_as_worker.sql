-- The groups of a run that hold too many rows, for each pass that goes by rank, as rows of run_group.
CREATE OR REPLACE FUNCTION retention._find_groups_as_worker(p_run bigint) RETURNS SETOF retention.run_group
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET timezone = 'UTC'
SET datestyle = 'ISO, YMD' SET intervalstyle = 'postgres' SET bytea_output = 'hex' SET extra_float_digits = 1
SET standard_conforming_strings = on SET transform_null_equals = off SET array_nulls = on SET row_security = off
SET jit = off AS $function$
DECLARE v_passes jsonb; v_slice retention.slice; v_pass record;
BEGIN
    PERFORM retention._pin(p) FROM retention.run r JOIN retention.policy p ON p.name = r.policy WHERE r.id = p_run;
    SELECT p.passes, r.as_of, r.older_than, r.scope, r.inputs, r.id
    INTO STRICT v_passes, v_slice.as_of, v_slice.older_than, v_slice.scope, v_slice.inputs, v_slice.run_id
    FROM retention.run r JOIN retention.policy p ON p.name = r.policy WHERE r.id = p_run;
    FOR v_pass IN SELECT e.value ->> 'groups' AS groups, e.ordinality::integer AS pass
        FROM jsonb_array_elements(v_passes) WITH ORDINALITY e WHERE e.value ? 'groups'
    LOOP
        v_slice.pass := v_pass.pass;
        RETURN QUERY EXECUTE format(
            'SELECT ($1).run_id, ($1).pass, row_number() OVER (), g.key, g.surplus FROM retention.%I($1) g',
            v_pass.groups)
        USING v_slice;
    END LOOP;
END $function$;
