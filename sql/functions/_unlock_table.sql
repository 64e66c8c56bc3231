-- Gives up this session's run lock on a table, however often it was taken.
CREATE OR REPLACE FUNCTION retention._unlock_table(p_table oid) RETURNS void
LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    v_key CONSTANT bigint := retention._lock_key('run', p_table);
BEGIN
    WHILE EXISTS (SELECT FROM pg_locks l
                  WHERE l.locktype = 'advisory' AND l.pid = pg_backend_pid() AND l.objsubid = 1
                    AND l.database = (SELECT d.oid FROM pg_database d WHERE d.datname = current_database())
                    AND l.classid::bigint = v_key >> 32 AND l.objid = p_table)
    LOOP
        EXIT WHEN NOT pg_advisory_unlock(v_key);
    END LOOP;
END
$function$;
REVOKE ALL ON FUNCTION retention._unlock_table(oid) FROM PUBLIC;
