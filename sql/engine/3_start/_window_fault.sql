-- _window_fault returns why a policy does not allow a window, with a hint. Both are NULL if it
-- does. A month counts as 30 days here. _window_at applies the exact bounds.
CREATE OR REPLACE FUNCTION retention._window_fault(
    p_policy retention.policy, p_window interval, OUT message text, OUT hint text)
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp SET intervalstyle = 'postgres' AS $function$
BEGIN
    IF p_policy.window_own IS NULL THEN
        message := format('the window of policy "%s" cannot be changed at run time', p_policy.name);
        hint := 'Give it a lower bound in the policy file, as in older_than: {days: 30, at_least: 7}.';
    ELSIF NOT isfinite(p_window) OR p_window > interval '1000 years'
          OR least(extract(year FROM p_window), extract(month FROM p_window), extract(day FROM p_window),
                   extract(hour FROM p_window), extract(minute FROM p_window), extract(second FROM p_window)) < 0
          OR p_window = interval '0' AND p_policy.window_at_least <> interval '0' THEN
        message := format('"%s" is not a window', p_window);
        hint := 'A window is longer than zero, and 1000 years at most.';
    ELSIF p_window < p_policy.window_at_least OR p_window > p_policy.window_at_most THEN
        message := format('a window of %s is out of bounds: policy "%s" allows %s', p_window, p_policy.name,
                          concat_ws(' and ', 'at least ' || p_policy.window_at_least,
                                    'at most ' || p_policy.window_at_most));
        hint := 'The bounds are at_least and at_most in the policy file.';
    END IF;
END $function$;
