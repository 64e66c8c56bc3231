-- as owner
-- Takes the rows ($1).tids, which are locked and were judged then.
CREATE OR REPLACE FUNCTION retention.starred_take(retention.slice) RETURNS retention.taken LANGUAGE plpgsql
AS $function$
DECLARE
    v_tids tid[] := ($1).tids;
    v_rows bigint;
    v_out retention.taken := ROW(0, '{}', '{}');
BEGIN
    -- The batch's own rows, where they would change. What is written is kept for restore.
    WITH written AS (
    UPDATE app.note t SET starred = (true) WHERE t.ctid = ANY (v_tids) AND t.starred IS DISTINCT FROM (true)
    RETURNING ARRAY[t.id::text] AS key,
              jsonb_build_object('starred', t.starred) AS written
    )
    INSERT INTO retention.undo AS u (run_id, policy, step, key, written)
    SELECT ($1).run_id, 'starred', 1, w.key, w.written FROM written w
    ON CONFLICT ON CONSTRAINT undo_pkey DO UPDATE SET written = excluded.written;
    GET DIAGNOSTICS v_rows = ROW_COUNT;
    v_out.taken := least(v_out.taken + v_rows, cardinality(v_tids));

    RETURN v_out;
END $function$;

-- to drop it
