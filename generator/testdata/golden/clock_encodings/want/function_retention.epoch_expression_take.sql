-- as owner
-- Takes what is due from ($1).lo to ($1).hi, or of the rows ($1).tids. The rows' locks check the conditions once more.
CREATE OR REPLACE FUNCTION retention.epoch_expression_take(retention.slice) RETURNS retention.taken LANGUAGE plpgsql
AS $function$
DECLARE v_out retention.taken := ROW(0, '{}', '{}');
BEGIN
    EXECUTE $sql$
    DELETE FROM app.clocks t
    WHERE (t.snow / 1000) < retention._epoch_ms(retention._cutoff(($1).as_of, 0, 7, '00:00:00', 'UTC'))
      AND (($1).lo IS NULL OR (t.id) > ((($1).lo ->> 0)::bigint))
      AND (($1).hi IS NULL OR (t.id) <= ((($1).hi ->> 0)::bigint)) AND (($1).tids IS NULL OR t.ctid = ANY (($1).tids))
    $sql$ USING $1; GET DIAGNOSTICS v_out.taken = ROW_COUNT;
    RETURN v_out;
END $function$;

-- to drop it
