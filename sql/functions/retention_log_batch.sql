-- The built-in policy: runs that ended longer ago than install.log_window go, with their batches;
-- the newest run and the newest successful run of every policy stay.
CREATE OR REPLACE FUNCTION retention.retention_log_batch(p_run bigint)
RETURNS retention.batch_result
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    v_in retention.batch_input := retention._input(p_run);
    v_out retention.batch_result;
BEGIN
    DELETE FROM retention.run r
    WHERE r.id IN (SELECT o.id FROM retention._old_runs(v_in.as_of) o
                   ORDER BY o.id LIMIT v_in.batch_rows);
    GET DIAGNOSTICS v_out.taken = ROW_COUNT;
    v_out.scanned := v_out.taken;
    v_out.contended := 0;
    v_out.outcome := CASE WHEN v_out.taken < v_in.batch_rows THEN 'last' ELSE 'some' END;
    RETURN v_out;
END
$function$;
REVOKE ALL ON FUNCTION retention.retention_log_batch(bigint) FROM PUBLIC;
