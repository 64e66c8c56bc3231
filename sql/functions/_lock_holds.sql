-- Shuts out place_hold() on a run's tables until this transaction ends, and says whether a hold is
-- in force on any of them. Waits for a place_hold() under way, at most lock_timeout.
-- No search_path of its own: only pinned functions may call it, and every batch does.
CREATE OR REPLACE FUNCTION retention._lock_holds(
    p_oids oid[], p_tables text[], p_as_of timestamptz)
RETURNS boolean
LANGUAGE plpgsql
AS $function$
DECLARE
    v_table oid;
BEGIN
    FOREACH v_table IN ARRAY p_oids LOOP
        PERFORM pg_advisory_xact_lock_shared(1347571762::bigint << 32 | v_table::bigint);
    END LOOP;
    RETURN EXISTS (SELECT FROM retention.hold h
                   WHERE h.table_name = ANY (p_tables) AND h.released_at IS NULL
                     AND (h.until IS NULL OR h.until > p_as_of));
END
$function$;
REVOKE ALL ON FUNCTION retention._lock_holds(oid[], text[], timestamptz) FROM PUBLIC;
