-- _job_scopes returns a row for each job that runs the policy, with the job's scope. The scope is
-- NULL if the job takes all rows. An instance has the jobs of its policy. The function returns no
-- row if no job runs the policy.
CREATE OR REPLACE FUNCTION retention._job_scopes(p_policy text) RETURNS TABLE (job text, scope jsonb)
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $function$
    SELECT j.name, j.scope FROM retention.job j
    WHERE split_part(p_policy, '@', 1) = ANY (j.policies) ORDER BY j.name
$function$;
