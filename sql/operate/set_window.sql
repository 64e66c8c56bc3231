-- set_window replaces a policy's window until somebody sets another one. It returns the window that
-- is then in force. Only operators may call it.
-- older_than: the window, NULL for the policy's own window
-- Raises 22023 without a reason, and for a window outside the policy's bounds.
-- Example: SELECT retention.set_window('visits', '14 days', 'the disk is full');
CREATE OR REPLACE FUNCTION retention.set_window(policy text, older_than interval, reason text) RETURNS interval
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET intervalstyle = 'postgres' AS $function$
DECLARE v_policy CONSTANT retention.policy := retention._get_policy(set_window.policy); v_fault record;
BEGIN
    v_fault := retention._window_fault(v_policy, set_window.older_than);
    IF coalesce(set_window.reason, '') = '' THEN
        RAISE invalid_parameter_value USING MESSAGE = 'a window needs a reason';
    ELSIF set_window.older_than IS NOT NULL AND v_fault.message IS NOT NULL THEN
        RAISE invalid_parameter_value USING MESSAGE = v_fault.message, HINT = v_fault.hint;
    END IF;
    PERFORM retention._change_setting(v_policy.name, 'window', set_window.older_than::text, set_window.reason);
    RETURN retention.window_of(v_policy.name);
END $function$;
