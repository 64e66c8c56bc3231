-- _place_hold_again returns a statement that places a hold again and releases the old one at once.
-- It does so for all holds in force on the same table and columns. It uses the present names of the
-- table and columns.
-- It returns NULL in these cases:
-- - The table no longer exists.
-- - Another table has its name now. Only a person can tell which of the two has the rows.
-- - A value has type jsonb. Its text would become a JSON string.
CREATE OR REPLACE FUNCTION retention._place_hold_again(p_hold bigint) RETURNS text
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $function$
DECLARE
    v_hold CONSTANT retention.hold := (SELECT h FROM retention.hold h WHERE h.id = p_hold);
    v_rel CONSTANT oid := coalesce(
        (SELECT coalesce(pg_partition_root(c.oid), c.oid)::oid FROM pg_class c
         WHERE c.oid = v_hold.rel AND c.relkind IN ('r', 'p')),
        (SELECT c.oid FROM pg_class c WHERE c.oid = ANY (retention._resolve_tables(ARRAY[v_hold.table_name]))
                                        AND c.relkind IN ('r', 'p')));
    -- For each column of the hold, the column that has its name. If there is none, the present name
    -- of the column.
    v_names CONSTANT text[] := ARRAY(
        SELECT (SELECT a.attname FROM pg_attribute a
                WHERE a.attrelid = v_rel AND NOT a.attisdropped
                  AND (a.attname = u.name OR v_rel = v_hold.rel AND a.attnum = u.attnum)
                ORDER BY a.attname = u.name DESC LIMIT 1)
        FROM unnest(v_hold.columns, v_hold.attnums) WITH ORDINALITY u (name, attnum, n) ORDER BY u.n);
BEGIN
    IF EXISTS (SELECT FROM unnest(retention._resolve_tables(ARRAY[v_hold.table_name])) o (rel)
               WHERE o.rel <> ALL (ARRAY[v_rel, v_hold.rel::oid])) THEN
        RETURN NULL;
    END IF;
    IF v_rel IS NULL OR array_position(v_names, NULL) > 0 OR 'jsonb' = ANY (v_hold.types) THEN RETURN NULL; END IF;
    RETURN format('SELECT retention.place_hold(%L, %s, reason, until), retention.release_hold(id, ''placed again'') '
        'FROM retention.hold WHERE released_at IS NULL AND (until IS NULL OR until > now()) AND %s;',
        retention._table_name(v_rel),
        CASE WHEN v_names = v_hold.columns THEN 'match::text'
             ELSE quote_literal((SELECT jsonb_object_agg(u.now, v_hold.match -> u.name)
                                 FROM unnest(v_names, v_hold.columns) u (now, name))) END,
        CASE WHEN v_names = v_hold.columns THEN format('rel = %s AND columns = %L', v_hold.rel::oid, v_hold.columns)
             ELSE format('id = %s', v_hold.id) END);
END $function$;
