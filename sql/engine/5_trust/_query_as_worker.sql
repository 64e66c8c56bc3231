-- _query_as_worker returns the rows of a query on the application's tables, which it executes as
-- the worker: their types, operators and indexes may have code that the owner must not run. p_value
-- is $1. If the query evaluates a policy or report, p_policy is its name, and its code is checked
-- first. The query is read-only. Everything that such code set, declared or deferred is rolled
-- back.
CREATE OR REPLACE FUNCTION retention._query_as_worker(p_query text, p_value jsonb DEFAULT NULL,
    p_policy text DEFAULT NULL)
RETURNS SETOF jsonb LANGUAGE plpgsql ROWS 1 SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $function$
DECLARE v_done boolean;
BEGIN
    BEGIN
        PERFORM pg_catalog.set_config('transaction_read_only', 'on', true);
        RETURN QUERY SELECT l FROM retention._query_tables_as_worker(p_query, p_value, p_policy) l;
        v_done := true;
        RAISE SQLSTATE 'PR009';
    EXCEPTION WHEN OTHERS OR assert_failure OR query_canceled THEN
        PERFORM retention._discard_effects();
        IF v_done IS NULL OR SQLSTATE OPERATOR(pg_catalog.<>) 'PR009' THEN RAISE; END IF;
    END;
END $function$;
