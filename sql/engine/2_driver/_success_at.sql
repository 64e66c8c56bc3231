-- _success_at returns the time up to which a run saw all rows of a scope. If p_scope is NULL, these
-- are all rows of the policy. The time is the run's as_of.
-- It returns NULL in these cases:
-- - The run did not end "done" or "more", or it was a dry run.
-- - The run had a narrower scope.
-- - A call by hand had a window that is not the one in force.
-- - as_of is more than a day before the start of the run.
CREATE OR REPLACE FUNCTION retention._success_at(p_run retention.run, p_scope jsonb) RETURNS timestamptz
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp SET intervalstyle = 'postgres' AS $function$
BEGIN
    IF p_run.state NOT IN ('done', 'more') OR p_run.dry_run OR p_run.as_of < p_run.started_at - interval '1 day'
       OR (p_run.scope IS NULL OR p_scope @> p_run.scope) IS NOT TRUE THEN
        RETURN NULL;
    ELSIF p_run.older_than IS NOT NULL AND p_run.job IS NULL AND NOT EXISTS (
        SELECT FROM retention.policy p CROSS JOIN LATERAL retention._window_set(p.*) w
        WHERE p.name = p_run.policy
          AND retention._window_at(p.*, w.older_than, p_run.as_of)::text = p_run.older_than::text) THEN
        RETURN NULL;
    END IF;
    RETURN p_run.as_of;
END $function$;
