-- How many rows of a policy are due and what keeps the others, by _count_as_worker.
CREATE OR REPLACE FUNCTION retention._count(
    p_policy text, p_as_of timestamptz, p_limit bigint, p_guards boolean, p_scope jsonb DEFAULT NULL,
    p_older_than interval DEFAULT NULL, p_lo jsonb DEFAULT NULL) RETURNS retention.due_count
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $function$
DECLARE v_out retention.due_count; v_done boolean;
BEGIN
    BEGIN
        PERFORM pg_catalog.set_config('transaction_read_only', 'on', true);
        v_out := retention._count_as_worker(p_policy, p_as_of, p_limit, p_guards, p_scope, p_older_than, p_lo);
        v_done := true;
        RAISE SQLSTATE 'PR009';
    EXCEPTION WHEN OTHERS OR assert_failure OR query_canceled THEN
        PERFORM retention._forget();
        IF v_done IS NULL OR SQLSTATE OPERATOR(pg_catalog.<>) 'PR009' THEN RAISE; END IF;
    END;
    RETURN v_out;
END $function$;
