-- What verify asks about the rows of a policy, as JSON: no_clock (rows that never go), ahead, first, last, all_ahead
-- (clocks that lie far ahead), archives (rows of the given runs by table). Counts stop at max_rows, except in archives.
-- Locks nothing.
CREATE OR REPLACE FUNCTION retention.facts(policy text, as_of timestamptz, runs bigint[], max_rows bigint) RETURNS jsonb
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $function$
DECLARE v_out pg_catalog.jsonb; v_done boolean;
BEGIN
    BEGIN
        PERFORM pg_catalog.set_config('transaction_read_only', 'on', true);
        v_out := retention._facts_as_worker(policy, as_of, runs, max_rows);
        v_done := true;
        RAISE SQLSTATE 'PR009';
    EXCEPTION WHEN OTHERS OR assert_failure OR query_canceled THEN
        PERFORM retention._forget();
        IF v_done IS NULL OR SQLSTATE OPERATOR(pg_catalog.<>) 'PR009' THEN RAISE; END IF;
    END;
    RETURN v_out;
END $function$;
