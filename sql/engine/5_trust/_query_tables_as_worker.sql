-- _query_tables_as_worker executes the query for _query_as_worker. If the query evaluates no
-- policy, the function does not check whether the code of the tables is trusted.
CREATE OR REPLACE FUNCTION retention._query_tables_as_worker(p_query text, p_value jsonb, p_policy text)
    RETURNS SETOF jsonb
LANGUAGE plpgsql ROWS 1 SET search_path = pg_catalog, pg_temp SET row_security = off SET jit = off AS $function$
BEGIN
    IF p_policy IS NOT NULL THEN
        RETURN QUERY SELECT e FROM retention._evaluate_as_worker(p_query, p_value, p_policy) e;
        RETURN;
    END IF;
    PERFORM retention._refuse_other_roles();
    RETURN QUERY EXECUTE p_query USING p_value;
END $function$;
