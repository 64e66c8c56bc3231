-- Whether a row is held at an instant: by its key, by the value of a column, or by a column that it has
-- not, since nobody can tell then. VOLATILE, so that it sees a hold that was placed while the caller
-- waited for the row.
-- No search_path of its own: only pinned functions may call it.
CREATE OR REPLACE FUNCTION retention._is_held(
    p_table text, p_key text[], p_row jsonb, p_as_of timestamptz)
RETURNS boolean
LANGUAGE plpgsql
AS $function$
BEGIN
    RETURN EXISTS (SELECT FROM retention.hold h
                   WHERE h.table_name = p_table AND h.key = p_key AND h.by_column IS NULL
                     AND h.released_at IS NULL AND (h.until IS NULL OR h.until > p_as_of))
        OR EXISTS (SELECT FROM retention.hold h
                   WHERE h.table_name = p_table AND h.by_column IS NOT NULL
                     AND h.released_at IS NULL AND (h.until IS NULL OR h.until > p_as_of)
                     AND coalesce(p_row -> h.by_column = h.by_value, true));
END
$function$;
REVOKE ALL ON FUNCTION retention._is_held(text, text[], jsonb, timestamptz) FROM PUBLIC;
