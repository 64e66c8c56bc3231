-- A hold in force on a table that has become a partition of one of the given tables since, in a sentence; NULL
-- for none. Guards look for holds by the name of the table above, and by its key. Costs an index probe for each
-- table that has holds.
CREATE OR REPLACE FUNCTION retention._attached_hold(p_tables text[], p_as_of timestamptz) RETURNS text
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp
AS $function$
BEGIN
    RETURN (
        WITH RECURSIVE held (name) AS (
            (SELECT h.table_name FROM retention.hold h WHERE h.released_at IS NULL ORDER BY h.table_name LIMIT 1)
            UNION ALL
            SELECT (SELECT h.table_name FROM retention.hold h
                    WHERE h.released_at IS NULL AND h.table_name > held.name ORDER BY h.table_name LIMIT 1)
            FROM held WHERE held.name IS NOT NULL
        ), attached AS (
            SELECT held.name, retention._table_name(c.oid) AS root
            FROM held
            JOIN (pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace)
              ON n.nspname || '.' || c.relname = held.name AND c.relispartition
            WHERE retention._table_name(c.oid) = ANY (p_tables)
        )
        SELECT format('hold %s is on table "%s", which is a partition of "%s" now: place it again, and release this one',
                      h.id, h.table_name, x.root)
        FROM attached x JOIN retention.hold h ON h.table_name = x.name
        WHERE h.released_at IS NULL AND (h.until IS NULL OR h.until > p_as_of)
        ORDER BY h.id LIMIT 1);
END
$function$;
REVOKE ALL ON FUNCTION retention._attached_hold(text[], timestamptz) FROM PUBLIC;
