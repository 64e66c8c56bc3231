-- Writes down an index just built, as PostgreSQL prints it. Raises 55000 when it is not valid.
CREATE OR REPLACE FUNCTION retention._record_index(p_schema text, p_index text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    v_definition text;
BEGIN
    SELECT pg_get_indexdef(i.indexrelid) INTO v_definition
    FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE n.nspname = p_schema AND c.relname = p_index AND i.indisvalid AND i.indisready;
    IF v_definition IS NULL THEN
        RAISE object_not_in_prerequisite_state
            USING MESSAGE = format('index "%s" is missing or not valid', p_index),
                  HINT = 'Migrate again: the migration repairs it.';
    END IF;
    INSERT INTO retention.index_definition (schema_name, index_name, definition)
    VALUES (p_schema, p_index, v_definition)
    ON CONFLICT (schema_name, index_name) DO UPDATE
    SET definition = excluded.definition, built_at = clock_timestamp();
END
$function$;
REVOKE ALL ON FUNCTION retention._record_index(text, text) FROM PUBLIC;
