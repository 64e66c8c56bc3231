-- A page that is registered is not tried by going through its statements, which locks tables: nothing is changed here.
CREATE OR REPLACE FUNCTION retention._prove(p_policy text) RETURNS void LANGUAGE plpgsql AS $function$
BEGIN
END $function$;
