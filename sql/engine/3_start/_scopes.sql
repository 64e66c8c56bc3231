-- _scopes returns which rows a policy may take, by its jobs: each scope of a job once. Where a job has no scope, or no job
-- runs the policy, it may take all rows: then the only row is NULL.
CREATE OR REPLACE FUNCTION retention._scopes(p_policy text) RETURNS SETOF jsonb
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $function$
    SELECT DISTINCT CASE WHEN NOT bool_or(j.scope IS NULL) OVER () THEN j.scope END
    FROM (VALUES (true)) one LEFT JOIN retention._job_scopes(p_policy) j ON true ORDER BY 1
$function$;
