-- _refused_expression returns the error with which the server refuses to read the conditions of a policy, or the query of a
-- report: a name, a type or a constant means nothing. It returns NULL where they can be read, and where another error, such
-- as a missing privilege or foreign code, comes first. It evaluates no row, and waits at most 1 s for each lock.
CREATE OR REPLACE FUNCTION retention._refused_expression(p_policy retention.policy) RETURNS text
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp SET lock_timeout = '1s' AS $function$
BEGIN  -- PostgreSQL puts the function's query in its place, since now() is not volatile
    PERFORM retention._query_as_worker(format('SELECT to_jsonb(count(*)) FROM (SELECT FROM retention.%I(%s) LIMIT 0) x',
        p_policy.name || CASE WHEN p_policy.report THEN '_report' ELSE '_rows' END,
        CASE WHEN p_policy.report THEN 'now()' ELSE 'retention._slice(now())' END),
        NULL, p_policy.name);
    RETURN NULL;
EXCEPTION WHEN OTHERS THEN
    IF retention._means_nothing(SQLSTATE) THEN RETURN SQLERRM; END IF;
    RETURN NULL;
END $function$;
