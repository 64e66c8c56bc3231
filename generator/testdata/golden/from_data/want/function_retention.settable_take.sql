-- as owner
-- Takes what is due from ($1).lo to ($1).hi, or of the rows ($1).tids. The rows' locks check the conditions once more.
CREATE OR REPLACE FUNCTION retention.settable_take(retention.slice) RETURNS retention.taken LANGUAGE plpgsql
AS $function$
DECLARE v_out retention.taken := ROW(0, '{}', '{}');
BEGIN
    EXECUTE $sql$
    DELETE FROM app.loan t
    WHERE t.used_at < retention._cutoff_of(($1).as_of, coalesce(($1).older_than, '0 months 30 days 00:00:00'), 'UTC')
      AND (($1).lo IS NULL OR (t.used_at, t.id) > ((($1).lo ->> 0)::timestamptz, (($1).lo ->> 1)::bigint))
      AND (($1).hi IS NULL OR (t.used_at, t.id) <= ((($1).hi ->> 0)::timestamptz, (($1).hi ->> 1)::bigint))
      AND (($1).tids IS NULL OR t.ctid = ANY (($1).tids))
    $sql$ USING $1; GET DIAGNOSTICS v_out.taken = ROW_COUNT;
    RETURN v_out;
END $function$;

-- to drop it
