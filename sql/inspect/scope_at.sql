-- scope_at returns the argument of <policy>_rows for a given time, with the window in force. Raises
-- P0002 for an unknown policy, and 22023 for a scope that a run would refuse.
-- Example: SELECT (r.t).* FROM retention.sessions_rows(retention.scope_at('sessions', now()))
-- r (rel oid, tid tid, t app.session, verdict text) WHERE r.verdict IS NULL;
CREATE OR REPLACE FUNCTION retention.scope_at(policy text, as_of timestamptz, scope jsonb DEFAULT NULL)
RETURNS retention.batch_range LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $function$
    SELECT retention._batch_range($2, retention.window_of($1), retention._checked_scope(retention._get_policy($1), $3))
$function$;
