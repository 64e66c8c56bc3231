-- as owner
-- Takes the rows ($1).tids, which are locked and were judged then.
CREATE OR REPLACE FUNCTION retention.notes_take(retention.slice) RETURNS retention.taken LANGUAGE plpgsql AS $function$
DECLARE
    v_tids tid[] := ($1).tids;
    v_rows bigint;
    v_tids_2 tid[];
    v_copied bigint := 0;
    v_out retention.taken := ROW(0, '{}', '{}');
BEGIN
    INSERT INTO app.old_note (id, owner_id, kind, state, score, starred, tag, made_at, seen_at, expires_at, run_id)
    SELECT t.id, t.owner_id, t.kind, t.state, t.score, t.starred, t.tag, t.made_at, t.seen_at, t.expires_at,
        (($1).run_id)
    FROM app.note t WHERE t.ctid = ANY (v_tids);
    GET DIAGNOSTICS v_rows = ROW_COUNT;
    v_out.related := v_out.related || jsonb_build_object(
        'app.old_note', v_rows + coalesce((v_out.related ->> 'app.old_note')::bigint, 0));
    v_copied := v_copied + v_rows;

    -- Rows of app.loan that go later: nobody changes them behind their copy.
    SELECT coalesce(array_agg(l.tid), '{}') INTO v_tids_2
    FROM (SELECT l.ctid AS tid FROM app.loan l
          CROSS JOIN app.note t WHERE t.ctid = ANY (v_tids) AND (l.note_id = t.id)
          FOR UPDATE OF l) l;
    INSERT INTO app.attic (body, kind, transfer_id)
    SELECT to_jsonb(l.*), ('loan'), (($1).run_id) FROM app.loan l
    WHERE EXISTS (
        SELECT FROM app.note t WHERE t.ctid = ANY (v_tids) AND (l.note_id = t.id))
      AND l.ctid = ANY (v_tids_2);
    GET DIAGNOSTICS v_rows = ROW_COUNT;
    v_out.related := v_out.related || jsonb_build_object(
        'app.attic', v_rows + coalesce((v_out.related ->> 'app.attic')::bigint, 0));

    -- Related rows of app.loan.
    PERFORM retention._spare(array_agg(x.rel), array_agg(x.tid), true, ($1).as_of)
    FROM (SELECT DISTINCT l.tableoid AS rel, l.ctid AS tid FROM app.loan l
          CROSS JOIN app.note t WHERE t.ctid = ANY (v_tids) AND (l.note_id = t.id)) x
    WHERE retention._holds('notes', ($1).as_of);
    DELETE FROM app.loan l USING app.note t WHERE t.ctid = ANY (v_tids) AND (l.note_id = t.id)
      AND l.ctid = ANY (v_tids_2);
    GET DIAGNOSTICS v_rows = ROW_COUNT;
    v_out.related := v_out.related || jsonb_build_object(
        'app.loan', v_rows + coalesce((v_out.related ->> 'app.loan')::bigint, 0));

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
