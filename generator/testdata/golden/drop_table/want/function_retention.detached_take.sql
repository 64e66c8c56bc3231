-- as owner
-- Takes the rows ($1).tids, which are locked and were judged then.
CREATE OR REPLACE FUNCTION retention.detached_take(retention.slice) RETURNS retention.taken LANGUAGE plpgsql
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
    FROM (SELECT t.ctid AS tid, t.name AS t_1 FROM app.detached t WHERE t.ctid = ANY (v_tids)) j;
    v_tids := v_batch.tids;
    -- The tables that the rows name; one that is gone already is no error.
    DECLARE
        v_names CONSTANT text[] := array(
            SELECT (t.name)::text FROM app.detached t WHERE t.ctid = ANY (v_tids));
        v_name text;
        v_table oid;
        v_gone bigint := 0;
    BEGIN
        v_rows := 0;
        FOREACH v_name IN ARRAY v_names LOOP
            v_table := retention._droppable(v_name, 'detached');
            IF v_table IS NULL THEN
                v_gone := v_gone + 1;
            ELSE
                PERFORM retention.detached_drop_table(v_table);
                v_rows := v_rows + 1;
            END IF;
        END LOOP;
        v_out.related := v_out.related || jsonb_build_object(
            'tables dropped', v_rows + coalesce((v_out.related ->> 'tables dropped')::bigint, 0),
            'tables gone before', v_gone + coalesce((v_out.related ->> 'tables gone before')::bigint, 0));
    END;

    -- The batch's own rows.
    DELETE FROM app.detached t
    WHERE t.name IN (
        SELECT t.name FROM unnest(v_tids, v_batch.t_1)
                  AS batch(tid, t_1)
             CROSS JOIN LATERAL (SELECT batch.t_1 AS name) t);
    GET DIAGNOSTICS v_rows = ROW_COUNT;
    IF v_rows < cardinality(v_tids) AND EXISTS (
        SELECT FROM app.detached t
        WHERE t.name IN (
            SELECT t.name FROM unnest(v_tids, v_batch.t_1)
                      AS batch(tid, t_1)
                 CROSS JOIN LATERAL (SELECT batch.t_1 AS name) t)) THEN
        -- What the other steps write is of rows that go: the row that stays is looked for, and refused.
        RAISE EXCEPTION USING MESSAGE = format('a trigger or a rule kept %s of %s rows from being deleted', cardinality(v_tids) - v_rows, cardinality(v_tids));
    END IF;
    v_out.taken := v_rows;

    RETURN v_out;
END $function$;

-- to drop it
