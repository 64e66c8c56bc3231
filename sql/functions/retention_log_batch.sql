-- The built-in policy. Runs that ended longer ago than install.log_window go, with their batches and
-- what restore() would need of them; the newest run and the newest successful run of every policy
-- stay. So do the newest answer of every report, events for install.event_window, and the statistics
-- of claims for install.claim_window.
CREATE OR REPLACE FUNCTION retention.retention_log_batch(v_in retention.slice, p_rows integer)
RETURNS retention.batch_result
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    v_install retention.install;
    v_runs bigint[];
    v_rows bigint;
    v_most bigint;
    v_out retention.batch_result;
BEGIN
    SELECT * INTO v_install FROM retention.install;
    DELETE FROM retention.undo u
    WHERE u.ctid = ANY (ARRAY(
        SELECT x.ctid FROM retention.run r JOIN retention.undo x ON x.run_id = r.id
        WHERE r.ended_at < v_in.as_of - v_install.log_window LIMIT p_rows));
    GET DIAGNOSTICS v_most = ROW_COUNT;
    v_out.related := jsonb_build_object('retention.undo', v_most);

    v_runs := ARRAY(SELECT o.id FROM retention._old_runs(v_in.as_of) o
                    WHERE v_most < p_rows  -- a run goes after all that belongs to it
                    ORDER BY o.id LIMIT p_rows);
    DELETE FROM retention.restored s WHERE s.run_id = ANY (v_runs);
    DELETE FROM retention.batch b WHERE b.run_id = ANY (v_runs);
    GET DIAGNOSTICS v_rows = ROW_COUNT;
    v_out.related := v_out.related || jsonb_build_object('retention.batch', v_rows);
    DELETE FROM retention.run r WHERE r.id = ANY (v_runs);
    GET DIAGNOSTICS v_out.taken = ROW_COUNT;
    v_most := greatest(v_most, v_out.taken);

    DELETE FROM retention.event e
    WHERE e.id = ANY (ARRAY(
        SELECT x.id FROM retention.event x WHERE x.at < v_in.as_of - v_install.event_window
        ORDER BY x.at LIMIT p_rows));
    GET DIAGNOSTICS v_rows = ROW_COUNT;
    v_out.related := v_out.related || jsonb_build_object('retention.event', v_rows);
    v_most := greatest(v_most, v_rows);

    DELETE FROM retention.claim c
    WHERE c.id = ANY (ARRAY(
        SELECT x.id FROM retention.claim x WHERE x.at < v_in.as_of - v_install.claim_window
        ORDER BY x.at LIMIT p_rows));
    GET DIAGNOSTICS v_rows = ROW_COUNT;
    v_out.related := v_out.related || jsonb_build_object('retention.claim', v_rows);
    v_most := greatest(v_most, v_rows);

    DELETE FROM retention.report p
    WHERE p.id = ANY (ARRAY(
        SELECT x.id FROM retention.report x
        WHERE x.at < v_in.as_of - v_install.report_window
          AND x.id < (SELECT max(n.id) FROM retention.report n WHERE n.name = x.name)
        ORDER BY x.id LIMIT p_rows));
    GET DIAGNOSTICS v_rows = ROW_COUNT;
    v_out.related := v_out.related || jsonb_build_object('retention.report', v_rows);
    v_most := greatest(v_most, v_rows);

    v_out.scanned := v_out.taken;
    v_out.contended := 0;
    v_out.kept := '{}';
    v_out.outcome := CASE WHEN v_most < p_rows THEN 'last' ELSE 'some' END;
    RETURN v_out;
END
$function$;
REVOKE ALL ON FUNCTION retention.retention_log_batch(retention.slice, integer) FROM PUBLIC;
