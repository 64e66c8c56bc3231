-- The run locks held in this database, with the session that holds each. A run under way is
-- "active"; a session that is "idle" cannot be running anything.
CREATE OR REPLACE FUNCTION retention._run_locks()
RETURNS TABLE (table_oid oid, slot integer, pid integer, role text, state text)
LANGUAGE sql STABLE
SET search_path = pg_catalog, pg_temp
AS $function$
    SELECT l.objid, (1347571761 - l.classid::bigint)::integer, l.pid, a.usename::text, a.state
    FROM pg_locks l LEFT JOIN pg_stat_activity a ON a.pid = l.pid
    WHERE l.locktype = 'advisory' AND l.granted AND l.objsubid = 1
      AND l.classid::bigint BETWEEN 1347571758 AND 1347571761
      AND l.database = (SELECT d.oid FROM pg_database d WHERE d.datname = current_database())
$function$;
REVOKE ALL ON FUNCTION retention._run_locks() FROM PUBLIC;
