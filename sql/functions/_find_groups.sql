-- Fills run_group for the passes that go by rank. Returns how many rows they may take at most,
-- NULL when the policy has a pass that does not go by rank.
CREATE OR REPLACE FUNCTION retention._find_groups(p_run bigint) RETURNS bigint
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET timezone = 'UTC' SET datestyle = 'ISO, YMD'
SET intervalstyle = 'postgres' SET bytea_output = 'hex' SET extra_float_digits = 1 SET standard_conforming_strings = on
SET transform_null_equals = off SET array_nulls = on SET row_security = off SET jit = off AS $function$
DECLARE v_passes jsonb; v_slice retention.slice; v_pass record; v_found bigint; v_total bigint := 0;
BEGIN
    PERFORM retention._pin(p) FROM retention.run r JOIN retention.policy p ON p.name = r.policy WHERE r.id = p_run;
    SELECT p.passes, r.as_of, r.older_than, r.scope, r.inputs, r.id
    INTO STRICT v_passes, v_slice.as_of, v_slice.older_than, v_slice.scope, v_slice.inputs, v_slice.run_id
    FROM retention.run r JOIN retention.policy p ON p.name = r.policy WHERE r.id = p_run;
    FOR v_pass IN SELECT e.value ->> 'groups' AS groups, e.ordinality::integer AS pass
                  FROM jsonb_array_elements(v_passes) WITH ORDINALITY e
    LOOP
        IF v_pass.groups IS NULL THEN
            v_total := NULL;
        ELSE
            v_slice.pass := v_pass.pass;
            EXECUTE format('WITH found AS (
                                INSERT INTO retention.run_group (run_id, pass, ordinal, key, surplus)
                                SELECT ($1).run_id, ($1).pass, row_number() OVER (), g.key, g.surplus
                                    FROM retention.%I($1) g
                                RETURNING surplus)
                            SELECT coalesce(sum(f.surplus), 0) FROM found f', v_pass.groups)
            INTO v_found USING v_slice;
            v_total := v_total + v_found;
        END IF;
    END LOOP;
    RETURN v_total;
END $function$;
