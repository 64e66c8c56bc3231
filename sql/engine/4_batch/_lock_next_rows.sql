-- _lock_next_rows does the work of _next_rows for a policy whose guards read other tables, and also
-- locks the rows. It skips rows that another session has locked. The next statement has a newer
-- snapshot. It rechecks the locked rows and takes them.
-- One statement finds and locks the rows, so both have one snapshot. Without an update meanwhile,
-- a row that was found and is not locked is therefore locked by another session.
-- scanned: how many rows it found
-- rels, tids: the locked rows. If another session has updated a row meanwhile, this is the new
--   version of the row. It is left out if it is no longer due, or no longer between lo and hi.
CREATE OR REPLACE FUNCTION retention._lock_next_rows(
    p_policy retention.policy, p_batch retention.batch_range, p_rows integer, OUT scanned bigint, OUT rels oid[],
    OUT tids tid[], OUT hi jsonb, OUT last boolean)
LANGUAGE plpgsql AS $function$
DECLARE
    v_cursor CONSTANT record := retention._cursor(p_policy, p_batch);
    v_found CONSTANT text := format('SELECT %s %s ORDER BY %s', v_cursor.columns, v_cursor.rows, v_cursor.names);
    -- In v_locked, x is the last row that was found, and x.n the number of rows.
    v_locked CONSTANT text := format('SELECT x.n, l.rels, l.tids, jsonb_build_array(%s)
        FROM x CROSS JOIN LATERAL (
            SELECT array_agg(r.rel) AS rels, array_agg(r.tid) AS tids
            FROM (SELECT t.tableoid AS rel, t.ctid AS tid FROM %s t WHERE %s%s AND (%s) <= (%s)
                  ORDER BY %s LIMIT $2 FOR UPDATE OF t SKIP LOCKED) r) l',
        v_cursor.column_texts, retention._table(p_policy.table_name)::regclass,
        p_policy.passes -> (p_batch.pass - 1) ->> 'due',
        v_cursor.bounds, v_cursor.names, replace(v_cursor.column_texts, '::text', ''), v_cursor.names);
BEGIN
    EXECUTE format('WITH x AS MATERIALIZED (SELECT $2 AS n, f.* FROM (%s OFFSET $2 - 1 LIMIT 1) f) %s',
                   v_found, v_locked)
    INTO scanned, rels, tids, hi USING p_batch, p_rows;
    IF hi IS NULL THEN  -- fewer rows are left
        EXECUTE format('WITH f AS MATERIALIZED (%s LIMIT $2), x AS MATERIALIZED (
                SELECT n.n, f.* FROM (SELECT count(*) AS n FROM f) n
                CROSS JOIN LATERAL (SELECT f.* FROM f OFFSET greatest(n.n, 1) - 1) f) %s', v_found, v_locked)
        INTO scanned, rels, tids, hi USING p_batch, p_rows;
    END IF;
    scanned := coalesce(scanned, 0); rels := coalesce(rels, '{}'); tids := coalesce(tids, '{}');
    last := scanned < p_rows;
END $function$;
