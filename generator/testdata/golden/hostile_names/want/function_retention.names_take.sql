-- as owner
-- Takes the rows ($1).tids, which are locked and were judged then.
CREATE OR REPLACE FUNCTION retention.names_take(retention.slice) RETURNS retention.taken LANGUAGE plpgsql AS $function1$
DECLARE
    v_tids tid[] := ($1).tids;
    v_rows bigint;
    v_tids_1 tid[];
    v_out retention.taken := ROW(0, '{}', '{}');
BEGIN
    -- Related rows of Se"lect.child, locked first and judged in a newer snapshot.
    SELECT coalesce(array_agg(l.tid), '{}') INTO v_tids_1
    FROM (SELECT c.ctid AS tid FROM "Se""lect".child c
          CROSS JOIN "Se""lect"."order by. $function$ {{ .Tag }}" t WHERE t.ctid = ANY (v_tids)
            AND (c."user" = t."user" AND c."a.b" = t."a.b")
          FOR UPDATE OF c) l;
    PERFORM retention._spare(array_agg(x.rel), array_agg(x.tid), true, ($1).as_of)
    FROM (SELECT DISTINCT c.tableoid AS rel, c.ctid AS tid FROM "Se""lect".child c
          CROSS JOIN "Se""lect"."order by. $function$ {{ .Tag }}" t WHERE t.ctid = ANY (v_tids)
            AND (c."user" = t."user" AND c."a.b" = t."a.b")) x
    WHERE retention._holds('names', ($1).as_of);
    DELETE FROM "Se""lect".child c USING "Se""lect"."order by. $function$ {{ .Tag }}" t WHERE t.ctid = ANY (v_tids)
      AND (c."user" = t."user" AND c."a.b" = t."a.b") AND c.ctid = ANY (v_tids_1);
    GET DIAGNOSTICS v_rows = ROW_COUNT;
    v_out.related := v_out.related || jsonb_build_object(
        'Se"lect.child', v_rows + coalesce((v_out.related ->> 'Se"lect.child')::bigint, 0));

    -- The batch's own rows.
    DELETE FROM "Se""lect"."order by. $function$ {{ .Tag }}" t WHERE t.ctid = ANY (v_tids);
    GET DIAGNOSTICS v_rows = ROW_COUNT;
    IF v_rows < cardinality(v_tids) THEN
        -- What the other steps write is of rows that go: the row that stays is looked for, and refused.
        RAISE EXCEPTION USING MESSAGE = format('a trigger or a rule kept %s of %s rows from being deleted', cardinality(v_tids) - v_rows, cardinality(v_tids));
    END IF;
    v_out.taken := v_rows;

    RETURN v_out;
END $function1$;

-- to drop it
