-- What was asked of a run, checked: as_of has a value, older_than is the window that goes instead of the policy's own.
-- Raises 22023 for a window that the policy does not allow, and a scope that is no JSON object of values, or names a
-- column by which the policy cannot be narrowed: taking more than was meant is worse than taking nothing.
CREATE OR REPLACE FUNCTION retention._checked(p_policy retention.policy, p_request retention.request, p_now timestamptz)
RETURNS retention.request LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $function$
DECLARE v_request retention.request := p_request; v_fault record; v_entry record;
BEGIN
    v_request.as_of := coalesce(p_request.as_of, p_now); v_request.dry_run := coalesce(p_request.dry_run, false);
    IF p_policy.report AND p_request.job IS NOT NULL THEN
        v_request.scope := NULL;  -- that of the job's policies
    ELSIF jsonb_typeof(p_request.scope) <> 'object' OR p_request.scope = '{}' THEN
        RAISE invalid_parameter_value USING MESSAGE = format('%s is no scope', p_request.scope),
                  HINT = 'Give columns with their values, as in ''{"chain_id": 1}''; without a scope, NULL.';
    END IF;
    FOR v_entry IN SELECT e.key, jsonb_typeof(e.value) AS type FROM jsonb_each(v_request.scope) e LOOP
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
    IF p_request.older_than IS NULL THEN
        SELECT s.older_than, s.note INTO v_request.older_than, v_request.note FROM retention._window_set(p_policy) s;
    ELSE
        v_fault := retention._window_fault(p_policy, p_request.older_than);
        IF v_fault.message IS NOT NULL THEN
            RAISE invalid_parameter_value USING MESSAGE = v_fault.message, HINT = v_fault.hint;
        END IF;
    END IF;
    IF v_request.older_than IS NOT NULL THEN
        v_request.older_than := retention._window_at(p_policy, v_request.older_than, v_request.as_of);
    END IF;
    RETURN v_request;
END $function$;
