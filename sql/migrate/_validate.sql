-- _validate raises the first error that prevents a policy from running: a difference between the
-- catalog and the policy's dependencies, or what _prove_statements raises. It does nothing while
-- pgretain.validate is off: a migration that is undone restores its older policies in any case.
CREATE OR REPLACE FUNCTION retention._validate(p_policy text) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $function$
DECLARE v_message text;
BEGIN
    IF current_setting('pgretain.validate', true) = 'off' THEN RETURN; END IF;
    SELECT u.why INTO v_message
    FROM retention.policy p CROSS JOIN LATERAL retention._changed_dependencies(ARRAY[p]) u
    WHERE p.name = p_policy LIMIT 1;
    IF v_message IS NOT NULL THEN
        RAISE object_not_in_prerequisite_state
            USING MESSAGE = format('policy "%s" cannot run: %s', p_policy, v_message);
    END IF;
    PERFORM retention._prove_statements(p_policy);
END $function$;
