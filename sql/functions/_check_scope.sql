-- Raises 22023 for a scope that is no JSON object of values, or names a column by which the policy
-- cannot be narrowed: taking more than was meant is worse than taking nothing.
CREATE OR REPLACE FUNCTION retention._check_scope(p_policy retention.policy, p_scope jsonb) RETURNS void
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $function$
DECLARE v_entry record;
BEGIN
    IF jsonb_typeof(p_scope) <> 'object' OR p_scope = '{}' THEN
        RAISE invalid_parameter_value USING MESSAGE = format('%s is no scope', p_scope),
                  HINT = 'Give columns with their values, as in ''{"chain_id": 1}''; without a scope, NULL.';
    END IF;
    FOR v_entry IN SELECT e.key, jsonb_typeof(e.value) AS type FROM jsonb_each(p_scope) e LOOP
        IF v_entry.key <> ALL (p_policy.scope) THEN
            RAISE invalid_parameter_value
                USING MESSAGE = format('policy "%s" cannot be narrowed by "%s"', p_policy.name, v_entry.key),
                      HINT = CASE WHEN p_policy.scope = '{}' THEN 'List the column under "scope" in the policy file.'
                                  ELSE format('It can be by: %s.', array_to_string(p_policy.scope, ', ')) END;
        ELSIF v_entry.type NOT IN ('string', 'number', 'boolean') THEN
            RAISE invalid_parameter_value
                USING MESSAGE = format('scope gives "%s" no single value, but %s', v_entry.key,
                                       CASE v_entry.type WHEN 'null' THEN 'null' ELSE 'an ' || v_entry.type END),
                      HINT = 'Give a text, a number, true or false.';
        END IF;
    END LOOP;
END $function$;
