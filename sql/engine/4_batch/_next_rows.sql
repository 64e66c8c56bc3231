-- _next_rows returns the next rows of a pass in the order of its cursor, after lo of p_batch and
-- not after its hi. It returns at most p_rows. If a watermark moves past the rows, it adds all rows
-- that have the last value.
-- p_range: determine only scanned, hi and last. rels and tids are then NULL, unless guards read
--   other tables. Then they are the rows that it has locked, by _lock_next_rows.
-- hi: the position of the last row
-- groups, keys: for a rank, the number of each row's group, and the keys of the groups
CREATE OR REPLACE FUNCTION retention._next_rows(
    p_policy retention.policy, p_batch retention.batch_range, p_rows integer, p_range boolean, OUT scanned bigint,
    OUT rels oid[], OUT tids tid[], OUT keys jsonb, OUT groups bigint[], OUT hi jsonb, OUT last boolean)
LANGUAGE plpgsql AS $function$
DECLARE
    v_batch retention.batch_range := p_batch; v_pass CONSTANT jsonb := p_policy.passes -> (p_batch.pass - 1);
    v_cursor record;
BEGIN
    IF v_pass ? 'groups' THEN
        SELECT n.* INTO scanned, rels, tids, keys, groups, hi, last
            FROM retention._next_of_groups(p_policy, p_batch, p_rows, p_range) n;
        RETURN;
    ELSIF p_range AND v_pass ? 'due' THEN
        SELECT n.* INTO scanned, rels, tids, hi, last FROM retention._lock_next_rows(p_policy, p_batch, p_rows) n;
        RETURN;
    END IF;
    v_batch.tids := '{}'; v_cursor := retention._cursor(p_policy, p_batch);
    IF p_range AND p_rows > 500 THEN  -- the other query reads fewer rows as fast
        EXECUTE format('SELECT jsonb_build_array(%s) FROM (SELECT %s %s ORDER BY %s OFFSET $2 - 1 LIMIT 1) x',
                       v_cursor.column_texts, v_cursor.columns, v_cursor.rows, v_cursor.names)
        INTO hi USING v_batch, p_rows;
        scanned := p_rows;
    END IF;
    IF hi IS NULL THEN
        EXECUTE format(
            'WITH x AS MATERIALIZED (SELECT d.rel, d.tid, %s %s ORDER BY %s %s)
             SELECT n.n, %s, (SELECT jsonb_build_array(%s) FROM x OFFSET greatest(n.n, 1) - 1)
             FROM (SELECT count(*) AS n FROM x) n',
            v_cursor.columns, v_cursor.rows, v_cursor.names, CASE WHEN v_pass ? 'whole'
                THEN 'FETCH FIRST $2 ROWS WITH TIES' ELSE 'LIMIT $2' END, CASE WHEN p_range
                THEN 'NULL::oid[], NULL::tid[]' ELSE 'ARRAY(SELECT x.rel FROM x), ARRAY(SELECT x.tid FROM x)' END,
            v_cursor.column_texts)
        INTO scanned, rels, tids, hi USING v_batch, p_rows;
        IF scanned > 1000000 AND scanned > p_rows THEN
            RAISE program_limit_exceeded USING
                MESSAGE = format('%s rows share position %s, more than a batch can take', scanned, hi ->> 0);
        END IF;
    END IF;
    last := scanned < p_rows OR p_batch.prove;
END $function$;
