-- _look: nobody asks here whether the tables' code is trusted.
CREATE OR REPLACE FUNCTION retention._look_as_worker(p_query text, p_value jsonb) RETURNS jsonb
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET row_security = off
SET jit = off AS $function$
DECLARE v_out jsonb;
BEGIN
    PERFORM retention._refuse_others();
    EXECUTE p_query INTO v_out USING p_value;
    RETURN v_out;
END $function$;
