-- _execute_as_worker executes a query that evaluates a policy as the worker and may write, and
-- returns its result. It serves <policy>_start and restore().
CREATE OR REPLACE FUNCTION retention._execute_as_worker(p_query text, p_value jsonb, p_policy text) RETURNS jsonb
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $function$
DECLARE v_out CONSTANT pg_catalog.jsonb := (SELECT e FROM retention._evaluate_as_worker(p_query, p_value, p_policy) e);
BEGIN
    PERFORM retention._check_search_path();
    RETURN v_out;
END $function$;
