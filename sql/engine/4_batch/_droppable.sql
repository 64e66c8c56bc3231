-- _droppable returns the table that a row of a policy names for a drop. It returns NULL if the
-- table does not exist. If _drop_refusal returns a reason, it raises P0001, or PR002 for a held
-- row. It locks nothing, because no hold can be placed during a batch.
CREATE OR REPLACE FUNCTION retention._droppable(p_name text, p_policy text) RETURNS oid
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $function$
DECLARE v_found CONSTANT record := retention._drop_refusal(p_name, p_policy, clock_timestamp());
BEGIN
    IF v_found.reason IS NOT NULL THEN
        RAISE EXCEPTION USING ERRCODE = v_found.code, MESSAGE = v_found.reason;
    END IF;
    RETURN v_found.rel;
END $function$;
