-- All rows of a policy's table that are held, as _held tells them; for people, and for ranks that read keep.hold.
CREATE OR REPLACE FUNCTION retention._held_rows(p_policy text, p_as_of timestamptz) RETURNS TABLE (rel oid, tid tid)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET row_security = off SET jit = off
AS $function$
DECLARE v_rels oid[]; v_tids tid[];
BEGIN
    IF retention._holds(p_policy, p_as_of) THEN
        EXECUTE format('SELECT array_agg(t.tableoid), array_agg(t.ctid) FROM %s t',
                       retention._table((retention._known(p_policy)).table_name)::regclass) INTO v_rels, v_tids;
        RETURN QUERY SELECT h.rel, h.tid FROM retention._held(p_policy, v_rels, v_tids, p_as_of, false) h
            WHERE v_rels IS NOT NULL;
    END IF;
END $function$;
