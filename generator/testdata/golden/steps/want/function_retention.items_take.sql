-- as owner
-- Takes the rows ($1).tids, which are locked and were judged then.
CREATE OR REPLACE FUNCTION retention.items_take(retention.slice) RETURNS retention.taken LANGUAGE plpgsql AS $function$
DECLARE
    v_tids tid[] := ($1).tids;
    v_rows bigint;
    v_batch record;
    v_tids_1 tid[];
    v_tids_3 tid[];
    v_out retention.taken := ROW(0, '{}', '{}');
BEGIN
    -- The rows as they were judged: steps read them after others have changed them.
    SELECT coalesce(array_agg(j.tid), '{}') AS tids,
           coalesce(array_agg(j.t_3), '{}') AS t_3,
           coalesce(array_agg(j.t_4), '{}') AS t_4 INTO v_batch
    FROM (SELECT t.ctid AS tid, t.blob_id AS t_3, (t.labels)::text AS t_4 FROM app.item t
          WHERE t.ctid = ANY (v_tids)) j;
    v_tids := v_batch.tids;
    -- Related rows of app.loan, locked first and judged in a newer snapshot.
    SELECT coalesce(array_agg(l.tid), '{}') INTO v_tids_1
    FROM (SELECT l.ctid AS tid FROM app.loan l
          CROSS JOIN app.item t WHERE t.ctid = ANY (v_tids) AND (l.note_id = t.id AND l.used_at < t.at)
          FOR UPDATE OF l) l;
    PERFORM retention._spare(array_agg(x.rel), array_agg(x.tid), true, ($1).as_of)
    FROM (SELECT DISTINCT l.tableoid AS rel, l.ctid AS tid FROM app.loan l
          CROSS JOIN app.item t WHERE t.ctid = ANY (v_tids) AND (l.note_id = t.id AND l.used_at < t.at)) x
    WHERE retention._holds('items', ($1).as_of);
    DELETE FROM app.loan l USING app.item t WHERE t.ctid = ANY (v_tids) AND (l.note_id = t.id AND l.used_at < t.at)
      AND l.ctid = ANY (v_tids_1);
    GET DIAGNOSTICS v_rows = ROW_COUNT;
    v_out.related := v_out.related || jsonb_build_object(
        'app.loan', v_rows + coalesce((v_out.related ->> 'app.loan')::bigint, 0));

    -- The batch's own rows.
    DELETE FROM app.item t WHERE t.ctid = ANY (v_tids) AND (NOT EXISTS (SELECT FROM app.loan l WHERE l.note_id = t.id));
    GET DIAGNOSTICS v_rows = ROW_COUNT;
    v_out.taken := v_rows;
    v_out.kept := coalesce(v_out.kept, '{}') || jsonb_build_object('passed', cardinality(v_tids) - v_rows);

    -- Related rows of app.blob, locked first and judged in a newer snapshot.
    SELECT coalesce(array_agg(l.tid), '{}') INTO v_tids_3
    FROM (SELECT b.ctid AS tid FROM app.blob b
          CROSS JOIN unnest(v_tids, v_batch.t_3, v_batch.t_4)
                          AS batch(tid, t_3, t_4)
                     CROSS JOIN LATERAL (SELECT batch.t_3 AS blob_id, batch.t_4::text[] AS labels) t
          WHERE (b.id = t.blob_id AND NOT EXISTS (SELECT FROM app.item x WHERE x.blob_id = b.id) AND NOT 'kept' = ANY (t.labels))
          FOR UPDATE OF b) l;
    PERFORM retention._spare(array_agg(x.rel), array_agg(x.tid), true, ($1).as_of)
    FROM (SELECT DISTINCT b.tableoid AS rel, b.ctid AS tid FROM app.blob b
          CROSS JOIN unnest(v_tids, v_batch.t_3, v_batch.t_4)
                          AS batch(tid, t_3, t_4)
                     CROSS JOIN LATERAL (SELECT batch.t_3 AS blob_id, batch.t_4::text[] AS labels) t
          WHERE (b.id = t.blob_id AND NOT EXISTS (SELECT FROM app.item x WHERE x.blob_id = b.id) AND NOT 'kept' = ANY (t.labels))) x
    WHERE retention._holds('items', ($1).as_of);
    DELETE FROM app.blob b USING unnest(v_tids, v_batch.t_3, v_batch.t_4)
               AS batch(tid, t_3, t_4)
          CROSS JOIN LATERAL (SELECT batch.t_3 AS blob_id, batch.t_4::text[] AS labels) t
    WHERE (b.id = t.blob_id AND NOT EXISTS (SELECT FROM app.item x WHERE x.blob_id = b.id) AND NOT 'kept' = ANY (t.labels))
      AND b.ctid = ANY (v_tids_3);
    GET DIAGNOSTICS v_rows = ROW_COUNT;
    v_out.related := v_out.related || jsonb_build_object(
        'app.blob', v_rows + coalesce((v_out.related ->> 'app.blob')::bigint, 0));

    RETURN v_out;
END $function$;

-- to drop it
