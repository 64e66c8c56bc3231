-- The groups of a run that hold too many rows, by _find_groups_as_worker.
CREATE OR REPLACE FUNCTION retention._find_groups(p_run bigint) RETURNS SETOF retention.run_group
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $function$
DECLARE v_done boolean;
BEGIN
    BEGIN
        PERFORM pg_catalog.set_config('transaction_read_only', 'on', true);
        RETURN QUERY SELECT g.* FROM retention._find_groups_as_worker(p_run) g;
        v_done := true;
        RAISE SQLSTATE 'PR009';
    EXCEPTION WHEN OTHERS OR assert_failure OR query_canceled THEN
        PERFORM retention._forget();
        IF v_done IS NULL OR SQLSTATE OPERATOR(pg_catalog.<>) 'PR009' THEN RAISE; END IF;
    END;
END $function$;
