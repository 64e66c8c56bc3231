-- A hold in force on a table that is not there, in a sentence; NULL for none. Where the table was renamed,
-- nobody can tell which rows are held, so that nothing may be taken before an operator has said so. Costs
-- an index probe for each table that has holds.
CREATE OR REPLACE FUNCTION retention._homeless_hold(p_as_of timestamptz) RETURNS text
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
        ), homeless AS (
            SELECT held.name FROM held
            WHERE held.name IS NOT NULL AND NOT EXISTS (
                SELECT FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
                WHERE n.nspname || '.' || c.relname = held.name AND c.relkind IN ('r', 'p', 'f'))
        )
        SELECT format('hold %s is on table "%s", which is not there: release it, or place it on the table that has '
                      'its rows now', h.id, h.table_name)
        FROM homeless x JOIN retention.hold h ON h.table_name = x.name
        WHERE h.released_at IS NULL AND (h.until IS NULL OR h.until > p_as_of)
        ORDER BY h.id LIMIT 1);
END
$function$;
REVOKE ALL ON FUNCTION retention._homeless_hold(timestamptz) FROM PUBLIC;
