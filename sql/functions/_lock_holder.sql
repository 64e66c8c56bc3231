-- Who holds the run lock on a table, for people.
CREATE OR REPLACE FUNCTION retention._lock_holder(p_table oid) RETURNS text
LANGUAGE sql STABLE
SET search_path = pg_catalog, pg_temp
AS $function$
    SELECT coalesce(
        (SELECT format('locked by backend %s (role %s, %s%s)', l.pid, a.usename, a.state,
                       ', run ' || (SELECT r.id FROM retention.run r
                                    WHERE r.pid = l.pid AND r.state = 'running' LIMIT 1))
         FROM pg_locks l LEFT JOIN pg_stat_activity a ON a.pid = l.pid
         WHERE l.locktype = 'advisory' AND l.granted AND l.objsubid = 1
           AND l.database = (SELECT d.oid FROM pg_database d WHERE d.datname = current_database()) AND l.objid = p_table
           AND l.classid::bigint = retention._lock_key('run', p_table) >> 32
         LIMIT 1),
        'locked by another session')
$function$;
REVOKE ALL ON FUNCTION retention._lock_holder(oid) FROM PUBLIC;
