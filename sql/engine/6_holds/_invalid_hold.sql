-- _invalid_hold returns a sentence about a hold in force that cannot be applied. It returns NULL if
-- there is none. A hold cannot be applied in these cases:
-- - The table of the hold no longer exists. This is checked for holds on any table.
-- - The table, or a column, type, collation or value, has changed. This is checked for holds on the
--   given tables, or under their names.
CREATE OR REPLACE FUNCTION retention._invalid_hold(p_tables oid[], p_as_of timestamptz) RETURNS text
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $function$
DECLARE
    c_again CONSTANT text := '; place it again as things are now, then release this one';
    v_tables CONSTANT oid[] := retention._hold_owners(p_tables);
    v_names CONSTANT text[] := ARRAY(SELECT retention._table_name(t) FROM unnest(p_tables) t);
    v_hold record; v_foreign text; v_terms record;
BEGIN
    FOR v_hold IN
        SELECT h.*, now.attnums AS attnums_now, now.types AS types_now, CASE WHEN c.oid IS NULL THEN 'is not ' || CASE
                   retention._resolve_tables(ARRAY[h.table_name]) WHEN '{}' THEN 'there'
                       ELSE 'the present one of that name' END
                   WHEN c.relispartition THEN format('is a partition of "%s" now', retention._table_name(c.oid))
                   WHEN retention._table_name(c.oid) <> h.table_name
                   THEN format('is called "%s" now', retention._table_name(c.oid)) END AS fault
        FROM retention._hold_kinds(p_as_of) h LEFT JOIN pg_class c ON c.oid = h.rel AND c.relkind IN ('r', 'p')
        LEFT JOIN LATERAL retention._held_columns(c.oid, h.columns, h.match) now ON h.rel = ANY (v_tables)
        WHERE c.oid IS NULL OR h.rel = ANY (v_tables) OR h.table_name = ANY (v_names)
           OR c.relispartition AND pg_partition_root(c.oid) = ANY (p_tables)
        ORDER BY h.id
    LOOP
        IF v_hold.fault IS NOT NULL THEN
            RETURN format('hold %s is on table "%s", which %s', v_hold.id, v_hold.table_name, v_hold.fault) || c_again;
        ELSIF v_hold.attnums <> v_hold.attnums_now OR v_hold.types <> v_hold.types_now THEN
            RETURN format('hold %s on table "%s" compares (%s) of type %s, and %s', v_hold.id, v_hold.table_name,
                array_to_string(v_hold.columns, ', '), array_to_string(v_hold.types, ', '), CASE
                WHEN cardinality(v_hold.attnums_now) < cardinality(v_hold.attnums) THEN 'the table lacks such a column'
                WHEN v_hold.attnums <> v_hold.attnums_now THEN 'the columns were dropped and re-created'
                ELSE format('these are of type %s now', array_to_string(v_hold.types_now, ', ')) END) || c_again;
        END IF;
        v_foreign := (SELECT u FROM retention._untrusted(ARRAY[v_hold.rel], '{}') u LIMIT 1);
        IF v_foreign IS NOT NULL THEN RETURN format('hold %s cannot be looked at: %s', v_hold.id, v_foreign); END IF;
        v_terms := retention._hold_terms(v_hold.rel, v_hold.columns);
        CONTINUE WHEN v_terms.printed IS NOT NULL;
        BEGIN
            IF v_terms."values" IS NULL THEN RAISE data_exception USING MESSAGE = 'values cannot be compared'; END IF;
            PERFORM retention._query_as_worker(format(
                'SELECT to_jsonb(count((h.*)::text))
                 FROM (SELECT %s FROM retention.hold h WHERE h.rel = %s AND h.columns = %L::text[]
                       AND h.released_at IS NULL AND (h.until IS NULL OR h.until > ($1 #>> ''{}'')::timestamptz)) h',
                v_terms."values", v_hold.rel::oid, v_hold.columns), to_jsonb(p_as_of));
        EXCEPTION WHEN data_exception OR integrity_constraint_violation OR syntax_error_or_access_rule_violation THEN
            RETURN format('hold %s on table "%s" by (%s), or another one, '
                          'has a value that its type cannot read any more (%s); place it again with the value that '
                          'is valid now, then release this one', v_hold.id, v_hold.table_name,
                          array_to_string(v_hold.columns, ', '), SQLERRM);
        END;
    END LOOP;
    RETURN NULL;
END $function$;
