-- The numbers (p_n) of those rows of a table (its root) that are held themselves; all where nobody can tell
-- (_unfit_hold). VOLATILE, so that it sees rows as they are once somebody was waited for.
CREATE OR REPLACE FUNCTION retention._held_here(
    p_table oid, p_n integer[], p_rels oid[], p_tids tid[], p_as_of timestamptz) RETURNS integer[]
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET row_security = off AS $function$
DECLARE v_columns text[]; v_terms record; v_found integer[]; v_held integer[] := '{}';
BEGIN
    IF retention._unfit_hold(ARRAY[p_table], p_as_of) IS NOT NULL THEN RETURN p_n; END IF;
    FOR v_columns IN
        SELECT DISTINCT h.columns FROM retention.hold h
        WHERE h.rel = p_table AND h.released_at IS NULL AND (h.until IS NULL OR h.until > p_as_of)
    LOOP
        v_terms := retention._hold_terms(p_table, v_columns);
        EXECUTE format(
            'WITH h AS MATERIALIZED (
                 SELECT %s FROM retention.hold h
                 WHERE h.rel = $4 AND h.columns = $5 AND h.released_at IS NULL AND (h.until IS NULL OR h.until > $6)
             )
             SELECT array_agg(DISTINCT f.n) FROM unnest($1, $2, $3) f (n, rel, tid)
             JOIN %s t ON t.tableoid = f.rel AND t.ctid = f.tid
             JOIN h ON %s', v_terms."values", p_table::regclass, v_terms.equal)
        INTO v_found USING p_n, p_rels, p_tids, p_table, v_columns, p_as_of;
        v_held := v_held || v_found;
    END LOOP;
    RETURN v_held;
END $function$;
