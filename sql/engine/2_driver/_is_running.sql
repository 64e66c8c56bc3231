-- Whether the call of a run is under way: each of its transactions locks retention.run in ROW EXCLUSIVE mode, which
-- only the runtime may. A clone by CREATE DATABASE ... TEMPLATE has the same table, so that the database counts. Between two of them the lock is missing, so a backend whose statement is hidden is looked at
-- for half a second; then the row is read again. A standby takes the row's word.
CREATE OR REPLACE FUNCTION retention._is_running(p_run bigint) RETURNS boolean
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_custom_plan
AS $function$
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
        -- An older snapshot does not see the end, but that somebody has written the row.
        IF NOT EXISTS (SELECT FROM retention.run r WHERE r.id = p_run AND r.state = 'running'
                         AND (r.xmax = '0' OR current_setting('transaction_isolation') = 'read committed')) THEN
            RETURN true;
        END IF;
        EXIT WHEN v_gone;
        PERFORM pg_sleep(0.02);
    END LOOP;
    RETURN false;
END $function$;
