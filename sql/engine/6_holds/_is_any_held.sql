-- _is_any_held reports whether any row t of a table is held. It returns true if it cannot determine
-- this.
-- p_rows: the table, as in a FROM clause
-- p_former: the table may have been a partition of a table with holds. Rows that the worker cannot
--   read then count as held.
CREATE OR REPLACE FUNCTION retention._is_any_held(
    p_rows text, p_table oid, p_holds oid[], p_as_of timestamptz, p_former boolean) RETURNS boolean
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $function$
DECLARE
    v_held CONSTANT boolean := retention._invalid_hold(p_holds, p_as_of) IS NOT NULL;
    v_query CONSTANT text := retention._held_query(
        format('SELECT 1 FROM %s t', p_rows), p_table, p_holds, p_as_of, p_former);
BEGIN
    IF v_held OR v_query IS NULL THEN RETURN v_held; END IF;
    RETURN (SELECT l::boolean FROM retention._query_as_worker(format('SELECT to_jsonb(EXISTS (%s))', v_query)) l);
EXCEPTION WHEN insufficient_privilege THEN
    IF NOT p_former THEN RAISE; END IF;
    RETURN true;
END $function$;
