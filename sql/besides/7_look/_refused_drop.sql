-- Why a run would not drop the table that a row of a policy names (_droppable), NULL if it would.
CREATE OR REPLACE FUNCTION retention._refused_drop(p_name text, p_policy text) RETURNS text
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $function$
BEGIN
    PERFORM retention._droppable(p_name, p_policy);
    RETURN NULL;
EXCEPTION WHEN raise_exception OR SQLSTATE 'PR002' THEN
    RETURN SQLERRM;
END $function$;
