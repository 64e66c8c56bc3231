-- Which of some rows of a table are held, by their places in the arrays; all where nobody can tell. Of many rows it is
-- asked once: holds may be thousands, too. VOLATILE: it sees a hold that came while the caller waited for the row.
CREATE OR REPLACE FUNCTION retention._is_held(p_table oid, p_rels oid[], p_tids tid[], p_as_of timestamptz)
RETURNS integer[] LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $function$
DECLARE
    v_root CONSTANT oid := coalesce(pg_partition_root(p_table), p_table);
    v_tables CONSTANT oid[] := retention._logical(ARRAY[v_root]); v_name CONSTANT text := retention._table_name(v_root);
BEGIN
    IF NOT EXISTS (SELECT FROM retention.hold h WHERE h.released_at IS NULL AND h.rel = ANY (v_tables))
       AND NOT EXISTS (SELECT FROM retention.hold h WHERE h.released_at IS NULL AND h.table_name = v_name) THEN
        RETURN '{}';
    END IF;
    RETURN retention._held_here(
        v_root, ARRAY(SELECT generate_series(1, cardinality(p_rels))), p_rels, p_tids, p_as_of);
END $function$;
