-- _refused_expression returns the error that the server raises for the conditions of a policy or
-- the query of a report, if a name, type or constant in them is invalid. It returns NULL if the
-- server accepts them. It also returns NULL if another error comes first, such as a missing
-- privilege or foreign code. It reads no row, and waits at most 1 s for each lock.
CREATE OR REPLACE FUNCTION retention._refused_expression(p_policy retention.policy) RETURNS text
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp SET lock_timeout = '1s' AS $function$
BEGIN  -- now() is not volatile, so PostgreSQL inlines the function and checks its query
    PERFORM retention._query_as_worker(format('SELECT to_jsonb(count(*)) FROM (SELECT FROM %s LIMIT 0) x',
        CASE WHEN p_policy.report THEN format('retention.%I(now())', p_policy.name || '_report')
            ELSE retention._rows_call(p_policy, 'retention._batch_range(now())') END),
        NULL, p_policy.name);
    RETURN NULL;
EXCEPTION WHEN OTHERS THEN
    IF retention._means_nothing(SQLSTATE) THEN RETURN SQLERRM; END IF;
    RETURN NULL;
END $function$;
