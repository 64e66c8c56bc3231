-- Keeps runs of a table, and place_hold() on it and on others, out until this transaction ends.
-- Raises 55P03 when a run is under way. Run locks as in _lock_run, which sees this one as a session
-- that is not idle; waits for batches and holds under way.
CREATE OR REPLACE FUNCTION retention._lock_restore(p_table oid, p_hold_tables oid[]) RETURNS void
LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    v_slot integer := 0;
    v_table oid;
BEGIN
    WHILE v_slot <= 3 AND NOT pg_try_advisory_xact_lock(retention._lock_key('run', p_table, v_slot)) LOOP
        v_slot := v_slot + 1;
    END LOOP;
    PERFORM pg_stat_clear_snapshot();
    IF v_slot > 3 OR EXISTS (SELECT FROM retention._run_locks() l
                             WHERE l.table_oid = p_table AND l.pid <> pg_backend_pid()
                               AND l.state IS DISTINCT FROM 'idle') THEN
        RAISE lock_not_available USING
            MESSAGE = format('a run on table "%s" is under way: %s', retention._table_name(p_table),
                             retention._lock_holder(p_table)),
            HINT = 'Wait for its end, or stop it with retention.pause().';
    END IF;
    FOR v_table IN SELECT DISTINCT x FROM unnest(p_table || p_hold_tables) x ORDER BY x LOOP
        PERFORM pg_advisory_xact_lock(retention._lock_key('hold', v_table));
    END LOOP;
END
$function$;
REVOKE ALL ON FUNCTION retention._lock_restore(oid, oid[]) FROM PUBLIC;
