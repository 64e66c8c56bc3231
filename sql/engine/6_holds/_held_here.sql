-- _held_here returns the numbers (p_n) of the rows of a table (its root) that holds match directly.
-- It returns all numbers if it cannot determine this (_invalid_hold). It is VOLATILE, so that it
-- sees the rows as they are after it waited for a lock.
CREATE OR REPLACE FUNCTION retention._held_here(
    p_table oid, p_n integer[], p_rels oid[], p_tids tid[], p_as_of timestamptz) RETURNS integer[]
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET row_security = off AS $function$
DECLARE v_query text; v_held integer[];
BEGIN
    IF retention._invalid_hold(ARRAY[p_table], p_as_of) IS NOT NULL THEN RETURN p_n; END IF;
    v_query := retention._held_query(format('SELECT f.n FROM unnest($1, $2, $3) f (n, rel, tid)
        JOIN %s t ON t.tableoid = f.rel AND t.ctid = f.tid', p_table::regclass), p_table, ARRAY[p_table], p_as_of);
    EXECUTE format('SELECT ARRAY(%s)', coalesce(v_query, 'SELECT 0 WHERE false')) INTO v_held USING p_n, p_rels, p_tids;
    RETURN v_held;
END $function$;
