-- Takes this session's run lock on a table: one run per table at a time. NULL when it was taken,
-- else who runs. A session that was cancelled while it committed keeps its lock although nothing
-- runs in it; so a lock whose holder is idle is passed by, and the next of four slots taken. Each
-- takes its slot first and looks at the others after that, so that of two at least one gives way.
CREATE OR REPLACE FUNCTION retention._lock_run(p_table oid) RETURNS text
LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    v_slot integer := 0;
BEGIN
    PERFORM retention._unlock_table(p_table);  -- what an earlier call left in this session
    WHILE NOT pg_try_advisory_lock(retention._lock_key('run', p_table, v_slot)) LOOP
        v_slot := v_slot + 1;
        IF v_slot > 3 THEN
            RETURN retention._lock_holder(p_table);
        END IF;
    END LOOP;
    IF NOT EXISTS (SELECT FROM pg_locks l
                   WHERE l.locktype = 'advisory' AND l.pid <> pg_backend_pid() AND l.objsubid = 1
                     AND l.objid = p_table
                     AND l.classid::bigint BETWEEN 1347571758 AND 1347571761) THEN
        RETURN NULL;
    END IF;
    PERFORM pg_stat_clear_snapshot();
    IF EXISTS (SELECT FROM retention._run_locks() l
               WHERE l.table_oid = p_table AND l.pid <> pg_backend_pid()
                 AND l.state IS DISTINCT FROM 'idle') THEN
        PERFORM pg_advisory_unlock(retention._lock_key('run', p_table, v_slot));
        RETURN retention._lock_holder(p_table);
    END IF;
    RETURN NULL;
END
$function$;
REVOKE ALL ON FUNCTION retention._lock_run(oid) FROM PUBLIC;
