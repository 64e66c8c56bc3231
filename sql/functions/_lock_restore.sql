-- Keeps runs of a policy's table, and place_hold(), out until this transaction ends: by the row of a run, which
-- restore() removes before. Raises 55P03 when a run of the table is under way. Waits for batches and holds under way.
CREATE OR REPLACE FUNCTION retention._lock_restore(p_policy retention.policy) RETURNS bigint
LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    v_taken CONSTANT record := retention._take_table(p_policy, NULL, clock_timestamp());
BEGIN
    IF v_taken.run IS NULL THEN
        RAISE lock_not_available USING
            MESSAGE = v_taken.message, HINT = 'Wait for its end, or stop it with retention.pause().';
    END IF;
    LOCK TABLE retention.hold IN SHARE ROW EXCLUSIVE MODE;
    RETURN v_taken.run;
END
$function$;
REVOKE ALL ON FUNCTION retention._lock_restore(retention.policy) FROM PUBLIC;
