-- The table that "schema.name" (unquoted, as the registry writes names) means. Raises 42P01 when
-- there is none, and 42P09 when the dots leave two possible readings.
CREATE OR REPLACE FUNCTION retention._table(p_name text) RETURNS oid
LANGUAGE plpgsql STABLE STRICT SET search_path = pg_catalog, pg_temp AS $function$
DECLARE v_found oid[];
BEGIN
    IF p_name NOT LIKE '%.%.%' THEN
        SELECT array_agg(c.oid) INTO v_found
        FROM pg_namespace n JOIN pg_class c ON c.relnamespace = n.oid
        WHERE n.nspname = split_part(p_name, '.', 1)::name AND c.relname = split_part(p_name, '.', 2)::name
          AND c.relkind IN ('r', 'p');
    ELSE  -- a name with a dot of its own
        SELECT array_agg(c.oid) INTO v_found
        FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
        WHERE n.nspname || '.' || c.relname = p_name AND c.relkind IN ('r', 'p');
    END IF;
    IF v_found IS NULL THEN
        RAISE undefined_table USING MESSAGE = format('table "%s" does not exist', p_name);
    ELSIF cardinality(v_found) > 1 THEN
        RAISE ambiguous_alias USING MESSAGE = format('"%s" could mean two tables', p_name);
    END IF;
    RETURN v_found[1];
END $function$;
