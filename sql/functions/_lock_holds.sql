-- Shuts out place_hold() on the given tables until this transaction ends, and says whether a hold
-- is in force on any of them. Waits for a place_hold() under way, at most lock_timeout.
CREATE OR REPLACE FUNCTION retention._lock_holds(p_tables text[], p_as_of timestamptz)
RETURNS boolean
LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    v_table text;
BEGIN
    FOREACH v_table IN ARRAY p_tables LOOP
        PERFORM pg_advisory_xact_lock_shared(
            retention._lock_key('hold', retention._table(v_table)));
    END LOOP;
    RETURN EXISTS (SELECT FROM retention.hold h
                   WHERE h.table_name = ANY (p_tables) AND h.released_at IS NULL
                     AND (h.until IS NULL OR h.until > p_as_of));
END
$function$;
REVOKE ALL ON FUNCTION retention._lock_holds(text[], timestamptz) FROM PUBLIC;
