-- The rows of a report at an instant, and which of them alert. Locks nothing; costs what its query costs.
--   SELECT * FROM retention.ask('stale_accounts');
CREATE OR REPLACE FUNCTION retention.ask(report text, as_of timestamptz DEFAULT clock_timestamp())
RETURNS TABLE (answer jsonb, alert boolean)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $function$
DECLARE v_done boolean;
BEGIN
    BEGIN
        PERFORM pg_catalog.set_config('transaction_read_only', 'on', true);
        RETURN QUERY SELECT a.* FROM retention._ask_as_worker(report, as_of) a;
        v_done := true;
        RAISE SQLSTATE 'PR009';
    EXCEPTION WHEN OTHERS OR assert_failure OR query_canceled THEN
        PERFORM retention._forget();
        IF v_done IS NULL OR SQLSTATE OPERATOR(pg_catalog.<>) 'PR009' THEN RAISE; END IF;
    END;
END $function$;
