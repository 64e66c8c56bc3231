-- _hold_kinds returns one hold in force of each kind. Holds of one kind have the same table, table
-- name, columns and types. It returns the hold of each kind that expires last. It jumps through the
-- index from kind to kind, because there may be a million holds of one kind.
CREATE OR REPLACE FUNCTION retention._hold_kinds(p_as_of timestamptz) RETURNS SETOF retention.hold
LANGUAGE plpgsql STABLE ROWS 10 SET search_path = pg_catalog, pg_temp AS $function$
DECLARE h retention.hold;
BEGIN
    h.table_name := ''; h.rel := 0; h.columns := '{}'; h.attnums := '{}'; h.types := '{}';
    LOOP
        SELECT * INTO h FROM retention.hold n
        WHERE n.released_at IS NULL
          AND (n.table_name COLLATE "C", n.rel, n.columns COLLATE "C", n.attnums, n.types COLLATE "C")
            > (h.table_name, h.rel, h.columns, h.attnums, h.types)
        ORDER BY n.table_name COLLATE "C", n.rel, n.columns COLLATE "C", n.attnums, n.types COLLATE "C", n.until DESC
        LIMIT 1;
        EXIT WHEN NOT FOUND;
        IF h.until > p_as_of IS NOT FALSE THEN RETURN NEXT h; END IF;
    END LOOP;
END $function$;
