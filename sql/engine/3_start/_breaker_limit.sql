-- _breaker_limit returns how many rows a run may take at most. NULL means no limit. If the run may
-- take p_due rows, the result may be lower than the exact limit, because the function stops
-- counting the table's rows once p_due rows are allowed.
-- breaker.fraction is a share of the rows in the table plus the rows that the run has deleted
-- (p_taken). It applies if these are at least 10,000 rows.
CREATE OR REPLACE FUNCTION retention._breaker_limit(p_policy retention.policy, p_due bigint, p_taken bigint DEFAULT 0)
RETURNS bigint
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $function$
DECLARE
    -- numeric, because 0.29 * 100 is less than 29 in floating point.
    v_fraction CONSTANT numeric := p_policy.breaker_fraction;
    v_rows numeric := 10000;
BEGIN
    IF p_policy.partitions OR v_fraction IS NULL OR v_fraction >= 1.0 OR p_due > p_policy.breaker_rows THEN
        RETURN p_policy.breaker_rows;
    ELSIF p_due::numeric > v_fraction * v_rows THEN
        v_rows := p_taken + retention._query_as_worker(
            format('SELECT to_jsonb(count(*)) FROM (SELECT FROM %s LIMIT ($1)::bigint) x',
                   retention._table(p_policy.table_name)::regclass),
            to_jsonb(greatest(floor(p_due / v_fraction)::bigint + 1 - p_taken, 0)), p_policy.name)::bigint;
    END IF;
    IF v_rows < 10000.0 THEN RETURN p_policy.breaker_rows; END IF;
    RETURN least(p_policy.breaker_rows, floor(v_fraction * v_rows)::bigint);
END $function$;
