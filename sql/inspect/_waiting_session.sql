-- _waiting_session returns the process ID of a session that waits for a lock of this session, or
-- NULL if none does. Locks of rows and of shared objects belong to no database.
CREATE OR REPLACE FUNCTION retention._waiting_session() RETURNS integer
LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $function$
BEGIN
    RETURN (SELECT l.pid FROM pg_locks l
            WHERE NOT l.granted AND coalesce(l.database, 0) IN (
                0, (SELECT d.oid FROM pg_database d WHERE d.datname = current_database()))
              AND pg_backend_pid() = ANY (pg_blocking_pids(l.pid))
            LIMIT 1);
END $function$;
