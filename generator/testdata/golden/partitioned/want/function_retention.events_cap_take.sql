-- as owner
-- Takes the rows ($1).tids, which are locked and were judged then.
CREATE OR REPLACE FUNCTION retention.events_cap_take(retention.slice) RETURNS retention.taken LANGUAGE plpgsql
AS $function$
DECLARE
    v_rels oid[] := ($1).rels;
    v_tids tid[] := ($1).tids;
    v_rows bigint;
    v_out retention.taken := ROW(0, '{}', '{}');
BEGIN
    -- The batch's own rows.
    DELETE FROM app.event t WHERE t.ctid = ANY (v_tids)
      AND (t.tableoid, t.ctid) IN (SELECT x.rel, x.tid FROM unnest(v_rels, v_tids) AS x(rel, tid));
    GET DIAGNOSTICS v_rows = ROW_COUNT;
    v_out.taken := v_rows;

    RETURN v_out;
END $function$;

-- to drop it
