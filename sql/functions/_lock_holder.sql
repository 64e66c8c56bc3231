-- Who holds the run lock on a table, for people.
CREATE OR REPLACE FUNCTION retention._lock_holder(p_table oid) RETURNS text
LANGUAGE sql STABLE
SET search_path = pg_catalog, pg_temp
AS $function$
    SELECT coalesce(
        (SELECT format('locked by backend %s (role %s, %s%s)', l.pid, l.role, l.state,
                       ', run ' || (SELECT r.id FROM retention.run r
                                    WHERE r.pid = l.pid AND r.state = 'running' LIMIT 1))
         FROM retention._run_locks() l
         WHERE l.table_oid = p_table AND l.pid <> pg_backend_pid()
         ORDER BY l.state = 'idle', l.slot LIMIT 1),
        'locked by another session')
$function$;
REVOKE ALL ON FUNCTION retention._lock_holder(oid) FROM PUBLIC;
