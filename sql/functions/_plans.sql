-- How PostgreSQL would find the rows of batches, by _plans_as_worker.
CREATE OR REPLACE FUNCTION retention._plans(
    p_policies text[], p_sort boolean, OUT policy text, OUT batch text, OUT plan json, OUT code text, OUT message text)
RETURNS SETOF record
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $function$
DECLARE v_done boolean;
BEGIN
    BEGIN
        PERFORM pg_catalog.set_config('transaction_read_only', 'on', true);
        RETURN QUERY SELECT p.* FROM retention._plans_as_worker(p_policies, p_sort) p;
        v_done := true;
        RAISE SQLSTATE 'PR009';
    EXCEPTION WHEN OTHERS OR assert_failure OR query_canceled THEN
        PERFORM retention._forget();
        IF v_done IS NULL OR SQLSTATE OPERATOR(pg_catalog.<>) 'PR009' THEN RAISE; END IF;
    END;
END $function$;
