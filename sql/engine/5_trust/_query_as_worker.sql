-- _query_as_worker executes a query on the application's tables as the worker, and returns its
-- rows. Types, operators and indexes of these tables may have code that the owner must not run. The
-- query is read-only. Everything that such code set, declared or deferred is rolled back.
-- p_value: the value of $1 in the query
-- p_policy: the policy or report that the query evaluates, or NULL. Its code is checked first.
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
