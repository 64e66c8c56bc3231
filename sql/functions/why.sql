-- Whether a run would take the rows with these values, and what keeps each: a guard, a hold, or its clock ("not due").
-- until is when the clock lets it go, to the second: NULL for never within 1000 years. Locks nothing.
--   SELECT * FROM retention.why('sessions', '{"id": 4711}');
CREATE OR REPLACE FUNCTION retention.why(policy text, key jsonb, as_of timestamptz DEFAULT clock_timestamp())
RETURNS TABLE (due boolean, kept_by text, until timestamptz)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $function$
DECLARE v_done boolean;
BEGIN
    BEGIN
        PERFORM pg_catalog.set_config('transaction_read_only', 'on', true);
        RETURN QUERY SELECT w.* FROM retention._why_as_worker(policy, key, as_of) w;
        v_done := true;
        RAISE SQLSTATE 'PR009';
    EXCEPTION WHEN OTHERS OR assert_failure OR query_canceled THEN
        PERFORM retention._forget();
        IF v_done IS NULL OR SQLSTATE OPERATOR(pg_catalog.<>) 'PR009' THEN RAISE; END IF;
    END;
END $function$;
