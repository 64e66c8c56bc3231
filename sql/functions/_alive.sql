-- Whether a run is under way in a backend: false for a row that says "running" after a crash, or
-- after its session was cancelled while it committed. A standby does not see its primary's sessions, and
-- takes the row's word for it.
CREATE OR REPLACE FUNCTION retention._alive(p_pid integer) RETURNS boolean
LANGUAGE sql STABLE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $function$
    SELECT pg_is_in_recovery()
        OR EXISTS (SELECT FROM retention._run_locks() l
                   WHERE l.pid = p_pid AND l.state IS DISTINCT FROM 'idle')
$function$;
REVOKE ALL ON FUNCTION retention._alive(integer) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION retention._alive(integer) TO retention_runner, retention_operator, retention_viewer;
