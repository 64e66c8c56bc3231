-- What the steps of a policy would do to what is due, by _effects_as_worker.
CREATE OR REPLACE FUNCTION retention._effects(
    p_policy text, p_as_of timestamptz, p_limit bigint, p_scope jsonb, p_older_than interval)
RETURNS TABLE (
    step integer, verb text, table_name text, rel oid, tid tid, n bigint, note text, sets text[], nulls text[])
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $function$
DECLARE v_done boolean;
BEGIN
    BEGIN
        PERFORM pg_catalog.set_config('transaction_read_only', 'on', true);
        RETURN QUERY SELECT e.* FROM retention._effects_as_worker(p_policy, p_as_of, p_limit, p_scope, p_older_than) e;
        v_done := true;
        RAISE SQLSTATE 'PR009';
    EXCEPTION WHEN OTHERS OR assert_failure OR query_canceled THEN
        PERFORM retention._forget();
        IF v_done IS NULL OR SQLSTATE OPERATOR(pg_catalog.<>) 'PR009' THEN RAISE; END IF;
    END;
END $function$;
