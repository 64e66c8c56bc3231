-- Raises 22004 for what a function for applications is given and that has a NULL.
CREATE OR REPLACE FUNCTION retention._not_null(p_holds boolean, p_what text) RETURNS void LANGUAGE plpgsql AS $function$
BEGIN
    IF NOT p_holds THEN RAISE null_value_not_allowed USING MESSAGE = p_what || ' must not be NULL'; END IF;
END $function$;
