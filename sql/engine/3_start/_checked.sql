-- _checked returns the request of a run with all values that the run uses. as_of has a value.
-- older_than is the window that replaces the policy's own window, or NULL. Raises 22023 for a
-- window or a scope that the policy does not allow.
CREATE OR REPLACE FUNCTION retention._checked(p_policy retention.policy, p_request retention.request, p_now timestamptz)
RETURNS retention.request LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $function$
DECLARE v_request retention.request := p_request; v_fault record;
BEGIN
    v_request.as_of := coalesce(p_request.as_of, p_now); v_request.dry_run := coalesce(p_request.dry_run, false);
    -- A report takes no rows, so the scope of its job does not apply to it.
    v_request.scope := retention._checked_scope(
        p_policy, CASE WHEN NOT (p_policy.report AND p_request.job IS NOT NULL) THEN p_request.scope END);
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
