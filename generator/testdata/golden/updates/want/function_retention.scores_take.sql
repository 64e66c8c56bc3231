-- as owner
-- Takes the rows ($1).tids, which are locked and were judged then.
CREATE OR REPLACE FUNCTION retention.scores_take(retention.slice) RETURNS retention.taken LANGUAGE plpgsql AS $function$
DECLARE
    v_tids tid[] := ($1).tids;
    v_rows bigint;
    v_batch record;
    v_out retention.taken := ROW(0, '{}', '{}');
BEGIN
    -- The rows as they were judged: steps read them after others have changed them.
    SELECT coalesce(array_agg(j.tid), '{}') AS tids,
           coalesce(array_agg(j.j2_87b7f1), '{}') AS j2_87b7f1 INTO v_batch
    FROM (SELECT t.ctid AS tid, d.score AS j2_87b7f1 FROM app.note t
          LEFT JOIN app.owner o ON (o.id = t.owner_id)
          LEFT JOIN LATERAL (SELECT o.days * 0.5 AS score) d ON true WHERE t.ctid = ANY (v_tids)) j;
    IF cardinality(v_batch.tids) > cardinality(v_tids) THEN
        RAISE cardinality_violation USING MESSAGE = 'a join found more than one row for a row of the batch';
    END IF;
    v_tids := v_batch.tids;
    IF array_ndims(v_batch.j2_87b7f1) > 1 OR retention._of_rows(pg_typeof(v_batch.j2_87b7f1)) THEN
        RAISE datatype_mismatch USING MESSAGE = 'a column of a join that a step reads is an array or a row',
            HINT = 'Cast it to text or jsonb in the join.';
    END IF;
    -- The batch's own rows, where they would change.
    UPDATE app.note t SET score = batch.v1
    FROM (SELECT t.id AS k0, (d.score) AS v1 FROM unnest(v_tids, v_batch.j2_87b7f1)
                    AS batch(tid, j2_87b7f1)
               JOIN app.note t ON t.ctid = batch.tid
               CROSS JOIN LATERAL (SELECT batch.j2_87b7f1 AS score) d) batch
    WHERE t.id = batch.k0 AND t.score IS DISTINCT FROM batch.v1;
    GET DIAGNOSTICS v_rows = ROW_COUNT;
    v_out.taken := least(v_out.taken + v_rows, cardinality(v_tids));

    RETURN v_out;
END $function$;

-- to drop it
