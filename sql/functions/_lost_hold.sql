-- A hold in force that no row can meet any more, because its table lacks the column that it goes by: in
-- a sentence, NULL for none. Nothing may be taken then, since nobody can tell what is held.
CREATE OR REPLACE FUNCTION retention._lost_hold(p_tables text[], p_as_of timestamptz) RETURNS text
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp
AS $function$
BEGIN
    RETURN (
        SELECT format('hold %s goes by column "%s", which table "%s" lacks', h.id, h.by_column, h.table_name)
        FROM retention.hold h
        WHERE h.table_name = ANY (p_tables) AND h.by_column IS NOT NULL AND h.released_at IS NULL
          AND (h.until IS NULL OR h.until > p_as_of)
          AND NOT EXISTS (SELECT FROM pg_attribute a
                          WHERE a.attrelid = retention._table(h.table_name) AND a.attname = h.by_column
                            AND a.attnum > 0 AND NOT a.attisdropped)
        ORDER BY h.id LIMIT 1);
END
$function$;
REVOKE ALL ON FUNCTION retention._lost_hold(text[], timestamptz) FROM PUBLIC;
