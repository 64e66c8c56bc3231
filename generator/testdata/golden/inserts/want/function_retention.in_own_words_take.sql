-- as owner
-- Takes the rows ($1).tids, which are locked and were judged then.
CREATE OR REPLACE FUNCTION retention.in_own_words_take(retention.slice) RETURNS retention.taken LANGUAGE plpgsql
AS $function$
DECLARE
    v_tids tid[] := ($1).tids;
    v_rows bigint;
    v_batch record;
    v_out retention.taken := ROW(0, '{}', '{}');
BEGIN
    -- The rows as they were judged: steps read them after others have changed them.
    SELECT coalesce(array_agg(j.tid), '{}') AS tids,
           coalesce(array_agg(j.t_1), '{}') AS t_1 INTO v_batch
    FROM (SELECT t.ctid AS tid, t.id AS t_1 FROM app.loan t WHERE t.ctid = ANY (v_tids)) j;
    v_tids := v_batch.tids;
    -- In the policy's own words.
    WITH batch AS (
             SELECT t.* FROM app.loan t WHERE t.ctid = ANY (v_tids)
         )
    INSERT INTO app.attic (kind, body) SELECT 'loan', to_jsonb(b.*) FROM batch b WHERE b.used_at < ($1).as_of;
    GET DIAGNOSTICS v_rows = ROW_COUNT;
    v_out.related := v_out.related || jsonb_build_object(
        'app.attic', v_rows + coalesce((v_out.related ->> 'app.attic')::bigint, 0));

    -- The batch's own rows.
    DELETE FROM app.loan t
    WHERE t.id IN (
        SELECT t.id FROM unnest(v_tids, v_batch.t_1)
                  AS batch(tid, t_1)
             CROSS JOIN LATERAL (SELECT batch.t_1 AS id) t);
    GET DIAGNOSTICS v_rows = ROW_COUNT;
    IF v_rows < cardinality(v_tids) AND EXISTS (
        SELECT FROM app.loan t
        WHERE t.id IN (
            SELECT t.id FROM unnest(v_tids, v_batch.t_1)
                      AS batch(tid, t_1)
                 CROSS JOIN LATERAL (SELECT batch.t_1 AS id) t)) THEN
        -- What the other steps write is of rows that go: the row that stays is looked for, and refused.
        RAISE EXCEPTION USING MESSAGE = format('a trigger or a rule kept %s of %s rows from being deleted', cardinality(v_tids) - v_rows, cardinality(v_tids));
    END IF;
    v_out.taken := v_rows;

    RETURN v_out;
END $function$;

-- to drop it
