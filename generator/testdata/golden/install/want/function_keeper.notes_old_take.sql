-- as owner
-- Takes what is due from ($1).lo to ($1).hi, or of the rows ($1).tids. The rows' locks check the conditions once more.
CREATE OR REPLACE FUNCTION keeper.notes_old_take(keeper.slice) RETURNS keeper.taken LANGUAGE plpgsql AS $function$
DECLARE v_out keeper.taken := ROW(0, '{}', '{}');
BEGIN
    EXECUTE $sql$
    DELETE FROM app.note t WHERE t.made_at < keeper._cutoff(($1).as_of, 0, 7, '00:00:00', 'America/New_York')
      AND (EXISTS (SELECT FROM app.review WHERE note_id = t.id)) IS FALSE
      AND (($1).lo IS NULL OR (t.made_at, t.id) > ((($1).lo ->> 0)::timestamptz, (($1).lo ->> 1)::bigint))
      AND (($1).hi IS NULL OR (t.made_at, t.id) <= ((($1).hi ->> 0)::timestamptz, (($1).hi ->> 1)::bigint))
      AND (($1).tids IS NULL OR t.ctid = ANY (($1).tids))
    $sql$ USING $1; GET DIAGNOSTICS v_out.taken = ROW_COUNT;
    RETURN v_out;
END $function$;

-- to drop it
