-- _not_null raises 22004 if a condition is not true: the arguments of a function for applications
-- contain no NULL.
-- p_holds: the condition
-- p_what: the arguments, for the message
CREATE OR REPLACE FUNCTION retention._not_null(p_holds boolean, p_what text) RETURNS void LANGUAGE plpgsql AS $function$
BEGIN
    IF NOT p_holds THEN RAISE null_value_not_allowed USING MESSAGE = p_what || ' must not be NULL'; END IF;
END $function$;
