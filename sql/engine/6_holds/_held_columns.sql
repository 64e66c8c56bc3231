-- _held_columns returns what a hold records about its table: the name in the registry, the numbers
-- of the columns, and their types with modifier and collation. For an enum, the type includes the
-- held value and its OID. The arrays have no element for a missing column.
CREATE OR REPLACE FUNCTION retention._held_columns(
    p_rel oid, p_columns text[], p_match jsonb, OUT table_name text, OUT attnums smallint[], OUT types text[])
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp SET quote_all_identifiers = off AS $function$
BEGIN
    SELECT retention._table_name(p_rel), coalesce(array_agg(a.attnum ORDER BY u.n), '{}'),
           coalesce(array_agg(format_type(a.atttypid, a.atttypmod)
                              || CASE WHEN a.attcollation NOT IN (0, 'pg_catalog.default'::regcollation)
                                      THEN ' COLLATE ' || a.attcollation::regcollation ELSE '' END
                              || coalesce(' value ' || e.oid || ' ' || e.enumlabel, '') ORDER BY u.n), '{}')
    INTO table_name, attnums, types FROM unnest(p_columns) WITH ORDINALITY u (name, n)
    JOIN pg_attribute a ON a.attrelid = p_rel AND a.attname = u.name AND a.attnum > 0 AND NOT a.attisdropped
    LEFT JOIN pg_type d ON d.oid = a.atttypid AND d.typtype = 'd'
    LEFT JOIN pg_enum e ON e.enumtypid = coalesce(d.typbasetype, a.atttypid) AND e.enumlabel = p_match ->> u.name;
END $function$;
