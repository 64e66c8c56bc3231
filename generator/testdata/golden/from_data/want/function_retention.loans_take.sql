-- as owner
-- Takes the rows ($1).tids, which are locked and were judged then.
CREATE OR REPLACE FUNCTION retention.loans_take(retention.slice) RETURNS retention.taken LANGUAGE plpgsql AS $function$
DECLARE
    v_tids tid[] := ($1).tids;
    v_rows bigint;
    v_out retention.taken := ROW(0, '{}', '{}');
BEGIN
    INSERT INTO app.attic (kind, body)
    SELECT ('loan'), (to_jsonb(t.*)) FROM app.loan t WHERE t.ctid = ANY (v_tids);
    GET DIAGNOSTICS v_rows = ROW_COUNT;
    v_out.related := v_out.related || jsonb_build_object(
        'app.attic', v_rows + coalesce((v_out.related ->> 'app.attic')::bigint, 0));

    v_out.taken := cardinality(v_tids);

    -- What the batch worked off, in the batch's own transaction; at the end, all that may be due.
    UPDATE app.rolled t SET id = m.value FROM (SELECT (($1).hi ->> 0)::bigint AS value) m WHERE (t.what = 'loan')
      AND t.id < m.value;

    RETURN v_out;
END $function$;

-- to drop it
