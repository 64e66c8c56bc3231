-- Gives up this session's run locks on a table, however often they were taken.
CREATE OR REPLACE FUNCTION retention._unlock_table(p_table oid) RETURNS void
LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    v_slot integer;
BEGIN
    FOR v_slot IN SELECT l.slot FROM retention._run_locks() l
                  WHERE l.table_oid = p_table AND l.pid = pg_backend_pid()
    LOOP
        WHILE EXISTS (SELECT FROM retention._run_locks() l
                      WHERE l.table_oid = p_table AND l.pid = pg_backend_pid() AND l.slot = v_slot)
        LOOP
            EXIT WHEN NOT pg_advisory_unlock(retention._lock_key('run', p_table, v_slot));
        END LOOP;
    END LOOP;
END
$function$;
REVOKE ALL ON FUNCTION retention._unlock_table(oid) FROM PUBLIC;
