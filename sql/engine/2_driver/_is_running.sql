-- _is_running reports whether the call of a run is in progress. Each transaction of a run locks
-- retention.run in ROW EXCLUSIVE mode. Only the runtime has the privilege to do so. The function
-- ignores locks of other databases, because CREATE DATABASE with a template copies the table's OID.
-- Between two transactions of a run there is no lock. The function therefore watches a session that
-- executes a statement for half a second, and then reads the row again. On a standby it returns
-- true. It is STRICT, because job_status calls it for each policy, also if there is no run.
CREATE OR REPLACE FUNCTION retention._is_running(p_run bigint) RETURNS boolean
LANGUAGE plpgsql VOLATILE STRICT SECURITY DEFINER SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_custom_plan AS $function$
DECLARE
    v_pid CONSTANT integer := (SELECT r.pid FROM retention.run r WHERE r.id = p_run); v_gone boolean;
    v_database CONSTANT oid := (SELECT d.oid FROM pg_database d WHERE d.datname = current_database());
BEGIN
    FOR v_look IN 1 .. 25 LOOP
        IF pg_is_in_recovery()
           OR EXISTS (SELECT FROM pg_locks l
                      WHERE l.pid = v_pid AND l.database = v_database AND l.relation = 'retention.run'::regclass
                        AND l.mode = 'RowExclusiveLock' AND l.granted)
              AND NOT EXISTS (SELECT FROM retention.run n WHERE n.pid = v_pid AND n.id > p_run
                  AND n.state = 'running') THEN
            RETURN true;
        END IF;
        PERFORM pg_stat_clear_snapshot();
        v_gone := NOT EXISTS (SELECT FROM pg_stat_get_activity(v_pid) a WHERE a.datid = v_database
            AND (a.state IS NULL OR a.state NOT LIKE 'idle%'))
            OR EXISTS (SELECT FROM retention.run n WHERE n.pid = v_pid AND n.id > p_run);
        -- An older snapshot does not see the new state, but shows that the row was updated.
        IF NOT EXISTS (SELECT FROM retention.run r WHERE r.id = p_run AND r.state = 'running'
                         AND (r.xmax = '0' OR current_setting('transaction_isolation') = 'read committed')) THEN
            RETURN true;
        END IF;
        EXIT WHEN v_gone;
        PERFORM pg_sleep(0.02);
    END LOOP;
    RETURN false;
END $function$;
