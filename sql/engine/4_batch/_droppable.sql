-- _droppable returns the table that a row of a policy wants dropped, NULL when it is gone. Raises what _drop_refusal finds:
-- P0001 for a table that is not to be dropped, PR002 for a held row. Locks nothing: the batch keeps holds out.
CREATE OR REPLACE FUNCTION retention._droppable(p_name text, p_policy text) RETURNS oid
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $function$
DECLARE v_found CONSTANT record := retention._drop_refusal(p_name, p_policy, clock_timestamp());
BEGIN
    IF v_found.reason IS NOT NULL THEN
        RAISE EXCEPTION USING ERRCODE = v_found.code, MESSAGE = v_found.reason;
    END IF;
    RETURN v_found.rel;
END $function$;
