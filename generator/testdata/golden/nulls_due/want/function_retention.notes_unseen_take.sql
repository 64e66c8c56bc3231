-- as owner
-- Takes the rows ($1).tids, which are locked and were judged then.
CREATE OR REPLACE FUNCTION retention.notes_unseen_take(retention.slice) RETURNS retention.taken LANGUAGE plpgsql
AS $function$
DECLARE v_out retention.taken := ROW(0, '{}', '{}');
BEGIN
    DELETE FROM app.note t WHERE t.ctid = ANY (($1).tids);
    GET DIAGNOSTICS v_out.taken = ROW_COUNT;
    RETURN v_out;
END $function$;

-- to drop it
