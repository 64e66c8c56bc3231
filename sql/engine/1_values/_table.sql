-- _table returns the OID of the table that has this name in the registry. Raises 42P01 if there is
-- none, and 42P09 if the dots in the name can be read in two ways.
CREATE OR REPLACE FUNCTION retention._table(p_name text) RETURNS oid
LANGUAGE plpgsql STABLE STRICT SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_generic_plan
AS $function$
DECLARE
    v_found CONSTANT oid[] := ARRAY(
        SELECT c.oid FROM pg_class c WHERE c.oid = ANY (retention._resolve_tables(ARRAY[p_name]))
            AND c.relkind IN ('r', 'p'));
BEGIN
    IF cardinality(v_found) = 0 THEN
        RAISE undefined_table USING MESSAGE = format('table "%s" does not exist', p_name);
    ELSIF cardinality(v_found) > 1 THEN
        RAISE ambiguous_alias USING MESSAGE = format('"%s" could mean two tables', p_name);
    END IF;
    RETURN v_found[1];
END $function$;
