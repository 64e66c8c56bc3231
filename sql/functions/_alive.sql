-- Whether a run's backend still holds the run lock on its table: false for a row that says
-- "running" after a crash.
CREATE OR REPLACE FUNCTION retention._alive(p_pid integer) RETURNS boolean
LANGUAGE sql STABLE
SET search_path = pg_catalog, pg_temp
AS $function$
    SELECT EXISTS (SELECT FROM pg_locks l
                   WHERE l.locktype = 'advisory' AND l.granted AND l.objsubid = 1
                     AND l.database = (SELECT d.oid FROM pg_database d WHERE d.datname = current_database())
                     AND l.classid = 1347571761 AND l.pid = p_pid)
$function$;
REVOKE ALL ON FUNCTION retention._alive(integer) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION retention._alive(integer) TO retention_runner, retention_operator, retention_viewer;
