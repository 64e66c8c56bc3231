-- _is_held reports whether a hold matches one row. It returns true if it cannot determine this. It
-- is VOLATILE, so that it sees holds that were committed while its caller waited for the row.
CREATE OR REPLACE FUNCTION retention._is_held(p_rel oid, p_tid tid, p_as_of timestamptz) RETURNS boolean
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $function$
DECLARE v_root CONSTANT oid := coalesce(pg_partition_root(p_rel), p_rel);
BEGIN
    IF NOT EXISTS (SELECT FROM retention._hold_kinds(p_as_of) h
        WHERE h.rel = ANY (retention._hold_owners(ARRAY[v_root]))
                   OR h.table_name = retention._table_name(v_root)) THEN
        RETURN false;
    END IF;
    RETURN retention._held_here(v_root, '{1}', ARRAY[p_rel], ARRAY[p_tid], p_as_of) <> '{}';
END $function$;
