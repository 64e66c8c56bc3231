-- _ttl returns the time to live of a claim. It is the first of these that exists:
-- - the call's argument
-- - the window of set_window(), if it is within the policy's bounds
-- - the policy's own window
-- Raises 22023 for an argument that is not longer than zero, or is out of bounds. A NULL bound
-- means no bound. The argument is compared with the bounds by the expiry times that they give.
CREATE OR REPLACE FUNCTION retention._ttl(
    p_policy text, p_as_of timestamptz, p_given interval, p_own interval, p_at_least interval, p_at_most interval)
RETURNS interval LANGUAGE plpgsql STABLE AS $function$
DECLARE v_fault text; v_set interval;
BEGIN
    IF p_given IS NULL THEN
        SELECT s.value INTO v_set FROM retention.setting s
        -- Without a lower bound nobody may set a window.
        WHERE s.policy = p_policy AND s.name = 'window' AND p_at_least IS NOT NULL;
        RETURN CASE WHEN v_set < p_at_least OR v_set > p_at_most THEN p_own ELSE coalesce(v_set, p_own) END;
    END IF;
    v_fault := CASE
        WHEN p_as_of + p_given <= p_as_of OR NOT isfinite(p_as_of + p_given)
            THEN format('a time to live must be longer than zero, not %s', p_given)
        WHEN p_as_of + p_given < p_as_of + p_at_least
            THEN format('a time to live of %s is shorter than %s', p_given, p_at_least)
        WHEN p_as_of + p_given > p_as_of + p_at_most
            THEN format('a time to live of %s is longer than %s', p_given, p_at_most) END;
    IF v_fault IS NOT NULL THEN RAISE invalid_parameter_value USING MESSAGE = v_fault; END IF;
    RETURN p_given;
END $function$;
