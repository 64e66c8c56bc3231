-- release_hold ends a hold now, and returns the hold's table and values. The row of the hold stays
-- as a record. Raises P0002 if there is no such hold, or if it was released before. Only operators
-- may call it.
CREATE OR REPLACE FUNCTION retention.release_hold(hold_id bigint, reason text, OUT table_name text, OUT match jsonb)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $function$
BEGIN
    UPDATE retention.hold h
    SET released_by = session_user, released_at = clock_timestamp(), release_reason = release_hold.reason
    WHERE h.id = release_hold.hold_id AND h.released_at IS NULL
    RETURNING h.table_name, h.match INTO release_hold.table_name, release_hold.match;
    IF NOT FOUND THEN RAISE no_data_found USING MESSAGE = format('there is no hold %s in force', hold_id); END IF;
END $function$;
