-- Fills run_group for the passes that go by rank. Returns how many rows they may take at most,
-- NULL when the policy has a pass that does not go by rank.
CREATE OR REPLACE FUNCTION retention._find_groups(p_run bigint) RETURNS bigint
LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    v_passes jsonb;
    v_pass record;
    v_found bigint;
    v_total bigint := 0;
BEGIN
    SELECT p.passes INTO STRICT v_passes
    FROM retention.run r JOIN retention.policy p ON p.name = r.policy WHERE r.id = p_run;
    FOR v_pass IN SELECT e.value ->> 'groups' AS groups, e.ordinality::integer AS pass
                  FROM jsonb_array_elements(v_passes) WITH ORDINALITY e
    LOOP
        IF v_pass.groups IS NULL THEN
            v_total := NULL;
        ELSE
            EXECUTE format('SELECT retention.%I($1, $2)', v_pass.groups)
            INTO v_found USING p_run, v_pass.pass;
            v_total := v_total + v_found;
        END IF;
    END LOOP;
    RETURN v_total;
END
$function$;
REVOKE ALL ON FUNCTION retention._find_groups(bigint) FROM PUBLIC;
