-- Keeps runs of a policy's table, and place_hold() on it and on others, out until this transaction ends: by the row of a
-- run, which restore() removes before. Raises 55P03 when a run of the table is under way. Waits for holds under way.
CREATE OR REPLACE FUNCTION retention._lock_restore(p_policy retention.policy, p_hold_tables oid[]) RETURNS bigint
LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    v_taken CONSTANT record := retention._take_table(p_policy, NULL, clock_timestamp());
    v_table oid;
BEGIN
    IF v_taken.run IS NULL THEN
        RAISE lock_not_available USING
            MESSAGE = v_taken.message, HINT = 'Wait for its end, or stop it with retention.pause().';
    END IF;
    FOR v_table IN SELECT DISTINCT x FROM unnest(retention._table(p_policy.table_name) || p_hold_tables) x ORDER BY x LOOP
        PERFORM pg_advisory_xact_lock(retention._lock_key('hold', v_table));
    END LOOP;
    RETURN v_taken.run;
END
$function$;
REVOKE ALL ON FUNCTION retention._lock_restore(retention.policy, oid[]) FROM PUBLIC;
