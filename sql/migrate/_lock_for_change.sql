-- _lock_for_change locks a table and its descendants in ACCESS EXCLUSIVE mode, before a migration
-- alters the table. It waits at most 100 ms for each lock. Then it releases all locks and tries
-- again, so that other sessions do not wait long behind it. After 50 tries it raises 55P03. It runs
-- with the privileges of its caller, who owns the table.
-- https://www.postgresql.org/docs/current/explicit-locking.html
CREATE OR REPLACE FUNCTION retention._lock_for_change(p_table regclass) RETURNS void
LANGUAGE plpgsql SECURITY INVOKER SET search_path = pg_catalog, pg_temp SET lock_timeout = '100ms' AS $function$
BEGIN
    FOR v_try IN 1..50 LOOP
        BEGIN
            EXECUTE format('LOCK TABLE %s IN ACCESS EXCLUSIVE MODE', p_table);
            RETURN;
        EXCEPTION WHEN lock_not_available THEN
            PERFORM pg_sleep(0.1);
        END;
    END LOOP;
    RAISE lock_not_available USING MESSAGE = format('could not obtain lock on table %s in 50 tries', p_table),
        DETAIL = 'Each try waits at most 100 ms for a lock, so that other sessions do not wait long behind it.',
        HINT = 'Migrate again when the transaction that uses the table has ended.';
END $function$;
