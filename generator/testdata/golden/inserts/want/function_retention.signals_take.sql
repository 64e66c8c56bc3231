-- as owner
-- Takes the rows ($1).tids, which are locked and were judged then.
CREATE OR REPLACE FUNCTION retention.signals_take(retention.slice) RETURNS retention.taken LANGUAGE plpgsql
AS $function$
DECLARE
    v_tids tid[] := ($1).tids;
    v_rows bigint;
    v_batch record;
    v_new_2 app.transfer[];
    v_tids_4 tid[];
    v_copied bigint := 0;
    v_out retention.taken := ROW(0, '{}', '{}');
BEGIN
    -- The rows as they were judged: steps read them after others have changed them.
    SELECT coalesce(array_agg(j.tid), '{}') AS tids INTO v_batch
    FROM (SELECT t.ctid AS tid FROM app.note t WHERE t.ctid = ANY (v_tids) ORDER BY t.made_at, t.id) j;
    v_tids := v_batch.tids;
    INSERT INTO app.daily AS was (day, owner_id, n, top, last_kind, at)
    SELECT totals.day, totals.owner_id, totals.n, totals.top, newest.last_kind, (($1).as_of)
    FROM (SELECT (t.made_at::date) AS day, (t.owner_id) AS owner_id, coalesce((count(*)), 0) AS n, (max(t.score)) AS top
          FROM unnest(v_tids) WITH ORDINALITY AS batch(tid, n)
               JOIN app.note t ON t.ctid = batch.tid GROUP BY 1, 2) totals
    JOIN (SELECT DISTINCT ON (1, 2)
                 (t.made_at::date) AS day, (t.owner_id) AS owner_id, (t.kind) AS last_kind
          FROM unnest(v_tids) WITH ORDINALITY AS batch(tid, n)
               JOIN app.note t ON t.ctid = batch.tid ORDER BY 1, 2, batch.n DESC) newest
      ON newest.day IS NOT DISTINCT FROM totals.day AND newest.owner_id IS NOT DISTINCT FROM totals.owner_id
    ON CONFLICT (day, owner_id) DO UPDATE SET n = coalesce(was.n + excluded.n, was.n, excluded.n),
        top = greatest(was.top, excluded.top),
        last_kind = excluded.last_kind,
        at = excluded.at;
    GET DIAGNOSTICS v_rows = ROW_COUNT;
    v_out.related := v_out.related || jsonb_build_object(
        'app.daily', v_rows + coalesce((v_out.related ->> 'app.daily')::bigint, 0));

    WITH made AS (
        INSERT INTO app.transfer AS was (owner_id, n, at)
        SELECT (t.owner_id), (count(*)), (($1).as_of) FROM app.note t WHERE t.ctid = ANY (v_tids) GROUP BY 1
        RETURNING *
    )
    SELECT array_agg(ROW(made.*)::app.transfer) INTO v_new_2 FROM made;
    v_rows := coalesce(cardinality(v_new_2), 0);
    v_out.related := v_out.related || jsonb_build_object(
        'app.transfer', v_rows + coalesce((v_out.related ->> 'app.transfer')::bigint, 0));

    INSERT INTO app.old_note (id, owner_id, kind, state, score, starred, tag, made_at, seen_at, expires_at, transfer_id,
        run_id)
    SELECT t.id, t.owner_id, t.kind, t.state, t.score, t.starred, t.tag, t.made_at, t.seen_at, t.expires_at, (h.id),
        (($1).run_id)
    FROM unnest(v_tids) AS batch(tid)
         JOIN app.note t ON t.ctid = batch.tid
         LEFT JOIN unnest(v_new_2) h ON h.owner_id IS NOT DISTINCT FROM (t.owner_id);
    GET DIAGNOSTICS v_rows = ROW_COUNT;
    v_out.related := v_out.related || jsonb_build_object(
        'app.old_note', v_rows + coalesce((v_out.related ->> 'app.old_note')::bigint, 0));
    v_copied := v_copied + v_rows;

    -- Rows of app.loan that go later: nobody changes them behind their copy.
    SELECT coalesce(array_agg(l.tid), '{}') INTO v_tids_4
    FROM (SELECT l.ctid AS tid FROM app.loan l
          CROSS JOIN unnest(v_tids) WITH ORDINALITY AS batch(tid, n)
                     JOIN app.note t ON t.ctid = batch.tid WHERE (l.note_id = t.id)
          FOR UPDATE OF l) l;
    INSERT INTO app.attic (body, kind, reason)
    SELECT to_jsonb(l.*), ('loan of ' || t.kind), (($1).reason)
    FROM (SELECT DISTINCT ON (l.tableoid, l.ctid)
                 l.tableoid AS rel, l.ctid AS tid, batch.n FROM app.loan l
          CROSS JOIN unnest(v_tids) WITH ORDINALITY AS batch(tid, n)
                     JOIN app.note t ON t.ctid = batch.tid WHERE (l.note_id = t.id) AND l.ctid = ANY (v_tids_4)
          ORDER BY l.tableoid, l.ctid, batch.n) pair
    JOIN app.loan l ON l.ctid = pair.tid AND l.tableoid = pair.rel
    JOIN (unnest(v_tids) WITH ORDINALITY AS batch(tid, n)
          JOIN app.note t ON t.ctid = batch.tid) ON batch.n = pair.n;
    GET DIAGNOSTICS v_rows = ROW_COUNT;
    v_out.related := v_out.related || jsonb_build_object(
        'app.attic', v_rows + coalesce((v_out.related ->> 'app.attic')::bigint, 0));

    -- Related rows of app.loan.
    PERFORM retention._spare(array_agg(x.rel), array_agg(x.tid), true, ($1).as_of)
    FROM (SELECT DISTINCT l.tableoid AS rel, l.ctid AS tid FROM app.loan l
          CROSS JOIN app.note t WHERE t.ctid = ANY (v_tids) AND (l.note_id = t.id)) x
    WHERE retention._holds('signals', ($1).as_of);
    DELETE FROM app.loan l USING app.note t WHERE t.ctid = ANY (v_tids) AND (l.note_id = t.id)
      AND l.ctid = ANY (v_tids_4);
    GET DIAGNOSTICS v_rows = ROW_COUNT;
    v_out.related := v_out.related || jsonb_build_object(
        'app.loan', v_rows + coalesce((v_out.related ->> 'app.loan')::bigint, 0));

    INSERT INTO retention.event (run_id, policy, event, payload)
    SELECT ($1).run_id, 'signals', 'note_gone', jsonb_build_object('id', (t.id), 'kind', (t.kind)) FROM app.note t
    WHERE t.ctid = ANY (v_tids);
    GET DIAGNOSTICS v_rows = ROW_COUNT;
    v_out.related := v_out.related || jsonb_build_object(
        'retention.event', v_rows + coalesce((v_out.related ->> 'retention.event')::bigint, 0));

    -- The batch's own rows.
    DELETE FROM app.note t WHERE t.ctid = ANY (v_tids);
    GET DIAGNOSTICS v_rows = ROW_COUNT;
    v_out.taken := v_rows;

    IF v_copied <> v_out.taken THEN
        RAISE EXCEPTION USING MESSAGE = format('%s rows were archived and %s deleted', v_copied, v_out.taken);
    END IF;

    RETURN v_out;
END $function$;

-- to drop it
