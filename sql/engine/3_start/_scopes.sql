-- _scopes returns the scopes of a policy's jobs, each once. Runs may take only rows inside these
-- scopes. If a job has no scope, or no job runs the policy, it returns one row with NULL, and runs
-- may take all rows.
CREATE OR REPLACE FUNCTION retention._scopes(p_policy text) RETURNS SETOF jsonb
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $function$
    SELECT DISTINCT CASE WHEN NOT bool_or(j.scope IS NULL) OVER () THEN j.scope END
    FROM (VALUES (true)) one LEFT JOIN retention._job_scopes(p_policy) j ON true ORDER BY 1
$function$;
