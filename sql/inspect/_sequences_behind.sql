-- _sequences_behind returns the runtime's sequences whose next number is already used, for
-- "pgretain verify". It reads each sequence after its table, because the sequence may advance
-- meanwhile.
CREATE OR REPLACE FUNCTION retention._sequences_behind()
RETURNS TABLE (table_name text, sequence_name text, largest bigint)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET row_security = off AS $function$
DECLARE v_sequence record; v_behind boolean;
BEGIN
    FOR v_sequence IN
        SELECT c.oid::regclass AS table_oid, c.relname, a.attname, s.oid::regclass AS oid, s.relname AS name
        FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attidentity <> '' AND NOT a.attisdropped
        JOIN pg_depend d ON d.refclassid = 'pg_class'::regclass AND d.refobjid = c.oid AND d.refobjsubid = a.attnum
                        AND d.classid = 'pg_class'::regclass AND d.deptype = 'i'
        JOIN pg_class s ON s.oid = d.objid AND s.relkind = 'S'
        WHERE c.relnamespace = (SELECT x.relnamespace FROM pg_class x WHERE x.oid = to_regclass('retention.run'))
          AND c.relkind = 'r' AND pg_has_role(c.relowner, 'USAGE') AND pg_has_role(s.relowner, 'USAGE')
        ORDER BY 2
    LOOP
        EXECUTE format('SELECT max(t.%I) FROM %s t', v_sequence.attname, v_sequence.table_oid) INTO largest;
        EXECUTE format('SELECT s.last_value < $1 + CASE WHEN s.is_called THEN 0 ELSE 1 END FROM %s s', v_sequence.oid)
            INTO v_behind USING largest;
        IF v_behind THEN
            table_name := v_sequence.relname; sequence_name := v_sequence.name;
            RETURN NEXT;
        END IF;
    END LOOP;
END $function$;
