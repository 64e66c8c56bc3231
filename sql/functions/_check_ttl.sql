-- Raises 22023 for a time to live that is not longer than zero, or out of its bounds (NULL: none), compared as the
-- instants of expiry.
CREATE OR REPLACE FUNCTION retention._check_ttl(
    p_as_of timestamptz, p_ttl interval, p_at_least interval, p_at_most interval) RETURNS void
LANGUAGE plpgsql STABLE AS $function$
BEGIN
    IF p_as_of + p_ttl <= p_as_of OR NOT isfinite(p_as_of + p_ttl) THEN
        RAISE invalid_parameter_value USING MESSAGE = format('a time to live must be longer than zero, not %s', p_ttl);
    ELSIF p_as_of + p_ttl < p_as_of + p_at_least THEN
        RAISE invalid_parameter_value
            USING MESSAGE = format('a time to live of %s is shorter than %s', p_ttl, p_at_least);
    ELSIF p_as_of + p_ttl > p_as_of + p_at_most THEN
        RAISE invalid_parameter_value
            USING MESSAGE = format('a time to live of %s is longer than %s', p_ttl, p_at_most);
    END IF;
END $function$;
