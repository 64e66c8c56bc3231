-- as owner
-- Takes the rows ($1).tids, which are locked and were judged then.
CREATE OR REPLACE FUNCTION retention.offers_rotate_take(retention.slice) RETURNS retention.taken LANGUAGE plpgsql
AS $function$
DECLARE
    v_tids tid[] := ($1).tids;
    v_rows bigint;
    v_out retention.taken := ROW(0, '{}', '{}');
BEGIN
    -- The batch's own rows, where they would change.
    UPDATE app.note t SET expires_at = (($1).as_of + interval '1 month') WHERE t.ctid = ANY (v_tids)
      AND t.expires_at IS DISTINCT FROM (($1).as_of + interval '1 month');
    GET DIAGNOSTICS v_rows = ROW_COUNT;
    v_out.taken := least(v_out.taken + v_rows, cardinality(v_tids));

    RETURN v_out;
END $function$;

-- to drop it
