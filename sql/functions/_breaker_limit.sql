-- The most rows that a run of a policy may take, NULL for no limit. The fraction counts from
-- 10000 rows on; a table that was never analysed is counted.
CREATE OR REPLACE FUNCTION retention._breaker_limit(p_policy retention.policy, p_rows bigint)
RETURNS bigint
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    v_rows bigint := p_rows;
BEGIN
    IF p_policy.breaker_fraction < 1 AND v_rows IS NULL THEN
        EXECUTE format('SELECT count(*) FROM %s', retention._table(p_policy.table_name)::regclass)
        INTO v_rows;
    END IF;
    IF p_policy.breaker_fraction < 1 AND v_rows >= 10000 THEN
        RETURN least(p_policy.breaker_rows, floor(p_policy.breaker_fraction * v_rows)::bigint);
    END IF;
    RETURN p_policy.breaker_rows;
END
$function$;
REVOKE ALL ON FUNCTION retention._breaker_limit(retention.policy, bigint) FROM PUBLIC;
