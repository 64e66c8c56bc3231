-- The built-in policy: runs that ended longer ago than install.log_window go, with their batches;
-- the newest run and the newest successful run of every policy stay.
CREATE OR REPLACE FUNCTION retention.retention_log_batch(p_run bigint)
RETURNS retention.batch_result
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    v_in CONSTANT retention.batch_input := retention._input(p_run);
    v_runs CONSTANT bigint[] := ARRAY(SELECT o.id FROM retention._old_runs(v_in.as_of) o
                                      ORDER BY o.id LIMIT v_in.batch_rows);
    v_batches bigint;
    v_out retention.batch_result;
BEGIN
    DELETE FROM retention.batch b WHERE b.run_id = ANY (v_runs);
    GET DIAGNOSTICS v_batches = ROW_COUNT;
    DELETE FROM retention.run r WHERE r.id = ANY (v_runs);
    GET DIAGNOSTICS v_out.taken = ROW_COUNT;
    v_out.scanned := v_out.taken;
    v_out.contended := 0;
    v_out.related := jsonb_build_object('retention.batch', v_batches);
    v_out.outcome := CASE WHEN cardinality(v_runs) < v_in.batch_rows THEN 'last' ELSE 'some' END;
    RETURN v_out;
END
$function$;
REVOKE ALL ON FUNCTION retention.retention_log_batch(bigint) FROM PUBLIC;
