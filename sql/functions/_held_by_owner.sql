-- Whether a row, as JSON, is held by the value of one of its columns. One look into the index per
-- column, however many holds there are.
CREATE OR REPLACE FUNCTION retention._held_by_owner(p_table text, p_row jsonb, p_as_of timestamptz)
RETURNS boolean
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp
AS $function$
BEGIN
    RETURN EXISTS (SELECT FROM jsonb_each(p_row) c
                   JOIN retention.hold h ON h.by_column = c.key AND h.by_value = c.value
                   WHERE h.table_name = p_table AND h.released_at IS NULL
                     AND (h.until IS NULL OR h.until > p_as_of));
END
$function$;
REVOKE ALL ON FUNCTION retention._held_by_owner(text, jsonb, timestamptz) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION retention._held_by_owner(text, jsonb, timestamptz) TO retention_operator, retention_viewer;
