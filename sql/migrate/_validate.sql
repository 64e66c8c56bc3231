-- _validate raises an error if something prevents a policy from running. It compares the catalog
-- with the policy's dependencies, and reports all differences, one a line. Then it calls
-- _prove_statements, which raises the first error. _validate does nothing while the setting
-- pgretain.validate is off. A migration that is undone turns the setting off, because it restores
-- older policies even if they cannot run.
CREATE OR REPLACE FUNCTION retention._validate(p_policy text) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $function$
DECLARE v_message text;
BEGIN
    IF current_setting('pgretain.validate', true) = 'off' THEN RETURN; END IF;
    SELECT string_agg(u.why, E'\n') INTO v_message
    FROM retention.policy p CROSS JOIN LATERAL retention._changed_dependencies(ARRAY[p]) u
    WHERE p.name = p_policy;
    IF v_message IS NOT NULL THEN
        RAISE object_not_in_prerequisite_state
            USING MESSAGE = format('policy "%s" cannot run: %s', p_policy, v_message);
    END IF;
    PERFORM retention._prove_statements(p_policy);
END $function$;
