-- Whether a hold by a column's value is in force on a table: asked once a statement, so that nobody pays
-- for such holds where there is none.
CREATE OR REPLACE FUNCTION retention._owner_holds(p_table text, p_as_of timestamptz) RETURNS boolean
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp
AS $function$
BEGIN
    RETURN EXISTS (SELECT FROM retention.hold h
                   WHERE h.table_name = p_table AND h.by_column IS NOT NULL AND h.released_at IS NULL
                     AND (h.until IS NULL OR h.until > p_as_of));
END
$function$;
REVOKE ALL ON FUNCTION retention._owner_holds(text, timestamptz) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION retention._owner_holds(text, timestamptz) TO retention_operator, retention_viewer;
