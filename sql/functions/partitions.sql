-- The partitions that a policy is about at an instant, by the window in force, and what keeps each; NULL: it goes. rows
-- is the planner's estimate, bytes counts indexes and TOAST. Locks nothing.
CREATE OR REPLACE FUNCTION retention.partitions(policy text, as_of timestamptz)
RETURNS TABLE (
    "schema" text, name text, parent text, value text, lower text, upper text, kept_by text, rows bigint, bytes bigint)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $function$
DECLARE v_done boolean;
BEGIN
    BEGIN
        PERFORM pg_catalog.set_config('transaction_read_only', 'on', true);
        RETURN QUERY SELECT p.* FROM retention._partitions_as_worker(policy, as_of) p;
        v_done := true;
        RAISE SQLSTATE 'PR009';
    EXCEPTION WHEN OTHERS OR assert_failure OR query_canceled THEN
        PERFORM retention._forget();
        IF v_done IS NULL OR SQLSTATE OPERATOR(pg_catalog.<>) 'PR009' THEN RAISE; END IF;
    END;
END $function$;
