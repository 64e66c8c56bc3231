-- _not_null raises 22004 if an argument of a function for applications contains a NULL.
CREATE OR REPLACE FUNCTION retention._not_null(p_holds boolean, p_what text) RETURNS void LANGUAGE plpgsql AS $function$
BEGIN
    IF NOT p_holds THEN RAISE null_value_not_allowed USING MESSAGE = p_what || ' must not be NULL'; END IF;
END $function$;
