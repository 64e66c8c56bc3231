-- as owner
-- Takes the rows ($1).tids, which are locked and were judged then.
CREATE OR REPLACE FUNCTION retention.dibs_expire_take(retention.slice) RETURNS retention.taken LANGUAGE plpgsql
AS $function$
DECLARE
    v_tids tid[] := ($1).tids;
    v_rows bigint;
    v_batch record;
    v_tids_2 tid[];
    v_tids_3 tid[];
    v_out retention.taken := ROW(0, '{}', '{}');
BEGIN
    -- The rows as they were judged: steps read them after others have changed them.
    SELECT coalesce(array_agg(j.tid), '{}') AS tids,
           coalesce(array_agg(j.t_1), '{}') AS t_1,
           coalesce(array_agg(j.t_2), '{}') AS t_2,
           coalesce(array_agg(j.t_3), '{}') AS t_3 INTO v_batch
    FROM (SELECT t.ctid AS tid, t.id AS t_1, t.owner_id AS t_2, t.kind AS t_3 FROM app.note t
          WHERE t.ctid = ANY (v_tids) ORDER BY t.expires_at, t.id) j;
    v_tids := v_batch.tids;
    -- The batch's own rows, where they would change. What is written is kept for restore.
    WITH written AS (
    UPDATE app.note t SET starred = (true) WHERE t.ctid = ANY (v_tids) AND t.starred IS DISTINCT FROM (true)
    RETURNING ARRAY[t.id::text] AS key,
              jsonb_build_object('starred', t.starred) AS written
    )
    INSERT INTO retention.undo AS u (run_id, policy, step, key, written)
    SELECT ($1).run_id, 'dibs_expire', 1, w.key, w.written FROM written w
    ON CONFLICT ON CONSTRAINT undo_pkey DO UPDATE SET written = excluded.written;
    GET DIAGNOSTICS v_rows = ROW_COUNT;
    v_out.taken := least(v_out.taken + v_rows, cardinality(v_tids));

    -- Related rows of app.loan, where they would change; locked first and judged in a newer snapshot.
    SELECT coalesce(array_agg(l.tid), '{}') INTO v_tids_2
    FROM (SELECT l.ctid AS tid FROM app.loan l
          CROSS JOIN unnest(v_tids, v_batch.t_1, v_batch.t_2, v_batch.t_3)
                          AS batch(tid, t_1, t_2, t_3)
                     CROSS JOIN LATERAL (SELECT batch.t_1 AS id, batch.t_2 AS owner_id, batch.t_3 AS kind) t
          WHERE (l.note_id = t.id)
          FOR UPDATE OF l) l;
    PERFORM retention._spare(array_agg(x.rel), array_agg(x.tid), false, ($1).as_of)
    FROM (SELECT DISTINCT l.tableoid AS rel, l.ctid AS tid FROM app.loan l
          CROSS JOIN unnest(v_tids, v_batch.t_1, v_batch.t_2, v_batch.t_3)
                          AS batch(tid, t_1, t_2, t_3)
                     CROSS JOIN LATERAL (SELECT batch.t_1 AS id, batch.t_2 AS owner_id, batch.t_3 AS kind) t
          WHERE (l.note_id = t.id)) x
    WHERE retention._holds('dibs_expire', ($1).as_of);
    UPDATE app.loan l SET used_at = (NULL) FROM unnest(v_tids, v_batch.t_1, v_batch.t_2, v_batch.t_3)
              AS batch(tid, t_1, t_2, t_3)
         CROSS JOIN LATERAL (SELECT batch.t_1 AS id, batch.t_2 AS owner_id, batch.t_3 AS kind) t
    WHERE (l.note_id = t.id) AND l.ctid = ANY (v_tids_2) AND l.used_at IS DISTINCT FROM (NULL);
    GET DIAGNOSTICS v_rows = ROW_COUNT;
    v_out.related := v_out.related || jsonb_build_object(
        'app.loan', v_rows + coalesce((v_out.related ->> 'app.loan')::bigint, 0));

    -- Related rows of app.owner, where they would change; locked first and judged in a newer snapshot.
    SELECT coalesce(array_agg(l.tid), '{}') INTO v_tids_3
    FROM (SELECT o.ctid AS tid FROM app.owner o
          CROSS JOIN unnest(v_tids, v_batch.t_1, v_batch.t_2, v_batch.t_3) WITH ORDINALITY
                          AS batch(tid, t_1, t_2, t_3, n)
                     CROSS JOIN LATERAL (SELECT batch.t_1 AS id, batch.t_2 AS owner_id, batch.t_3 AS kind) t
          WHERE (o.id = t.owner_id)
          FOR UPDATE OF o) l;
    PERFORM retention._spare(array_agg(x.rel), array_agg(x.tid), false, ($1).as_of)
    FROM (SELECT DISTINCT o.tableoid AS rel, o.ctid AS tid FROM app.owner o
          CROSS JOIN unnest(v_tids, v_batch.t_1, v_batch.t_2, v_batch.t_3) WITH ORDINALITY
                          AS batch(tid, t_1, t_2, t_3, n)
                     CROSS JOIN LATERAL (SELECT batch.t_1 AS id, batch.t_2 AS owner_id, batch.t_3 AS kind) t
          WHERE (o.id = t.owner_id)) x
    WHERE retention._holds('dibs_expire', ($1).as_of);
    UPDATE app.owner o SET days = batch.v1
    FROM (SELECT DISTINCT ON (o.id)
                 o.id AS k0, (length(t.kind)) AS v1 FROM app.owner o
          CROSS JOIN unnest(v_tids, v_batch.t_1, v_batch.t_2, v_batch.t_3) WITH ORDINALITY
                          AS batch(tid, t_1, t_2, t_3, n)
                     CROSS JOIN LATERAL (SELECT batch.t_1 AS id, batch.t_2 AS owner_id, batch.t_3 AS kind) t
          WHERE (o.id = t.owner_id) AND o.ctid = ANY (v_tids_3) ORDER BY o.id, batch.n) batch
    WHERE o.id = batch.k0 AND o.days IS DISTINCT FROM batch.v1;
    GET DIAGNOSTICS v_rows = ROW_COUNT;
    v_out.related := v_out.related || jsonb_build_object(
        'app.owner', v_rows + coalesce((v_out.related ->> 'app.owner')::bigint, 0));

    RETURN v_out;
END $function$;

-- to drop it
