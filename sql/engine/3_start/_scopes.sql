-- _scopes returns the scopes of a policy's jobs, each once: only rows inside these may be taken. If
-- a job has no scope, or no job runs the policy, the only row is NULL and all rows may be taken.
CREATE OR REPLACE FUNCTION retention._scopes(p_policy text) RETURNS SETOF jsonb
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $function$
    SELECT DISTINCT CASE WHEN NOT bool_or(j.scope IS NULL) OVER () THEN j.scope END
    FROM (VALUES (true)) one LEFT JOIN retention._job_scopes(p_policy) j ON true ORDER BY 1
$function$;
