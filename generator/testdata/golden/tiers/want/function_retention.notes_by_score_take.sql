-- as owner
-- Takes what is due from ($1).lo to ($1).hi, or of the rows ($1).tids. The rows' locks check the conditions once more.
CREATE OR REPLACE FUNCTION retention.notes_by_score_take(retention.slice) RETURNS retention.taken LANGUAGE plpgsql
AS $function$
DECLARE v_out retention.taken := ROW(0, '{}', '{}');
BEGIN
    EXECUTE $sql$
    DELETE FROM app.note t
    WHERE t.made_at < greatest(retention._cutoff(($1).as_of, 0, 30, '00:00:00', 'UTC'), retention._cutoff(($1).as_of, 0, 7, '00:00:00', 'UTC'))
      AND t.made_at < CASE WHEN (t.score >= 0.5) THEN retention._cutoff(($1).as_of, 0, 30, '00:00:00', 'UTC') WHEN (t.starred) THEN NULL ELSE retention._cutoff(($1).as_of, 0, 7, '00:00:00', 'UTC') END
      AND (($1).lo IS NULL OR (t.made_at, t.id) > ((($1).lo ->> 0)::timestamptz, (($1).lo ->> 1)::bigint))
      AND (($1).hi IS NULL OR (t.made_at, t.id) <= ((($1).hi ->> 0)::timestamptz, (($1).hi ->> 1)::bigint))
      AND (($1).tids IS NULL OR t.ctid = ANY (($1).tids))
    $sql$ USING $1; GET DIAGNOSTICS v_out.taken = ROW_COUNT;
    RETURN v_out;
END $function$;

-- to drop it
