-- The rows of other tables that steps of a policy would delete or change for some of its rows, by _related_as_worker.
CREATE OR REPLACE FUNCTION retention._related(
    p_policy retention.policy, p_rels oid[], p_tids tid[], p_as_of timestamptz)
RETURNS TABLE (step integer, n integer, rel oid, tid tid, deletes boolean)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $function$
DECLARE v_done boolean;
BEGIN
    BEGIN
        PERFORM pg_catalog.set_config('transaction_read_only', 'on', true);
        RETURN QUERY SELECT r.* FROM retention._related_as_worker(p_policy, p_rels, p_tids, p_as_of) r;
        v_done := true;
        RAISE SQLSTATE 'PR009';
    EXCEPTION WHEN OTHERS OR assert_failure OR query_canceled THEN
        PERFORM retention._forget();
        IF v_done IS NULL OR SQLSTATE OPERATOR(pg_catalog.<>) 'PR009' THEN RAISE; END IF;
    END;
END $function$;
