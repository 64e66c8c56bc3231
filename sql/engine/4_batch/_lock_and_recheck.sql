-- _lock_and_recheck locks rows of a policy, and rechecks the locked rows in a newer snapshot, by
-- _judge and _held.
-- p_recheck: if it is false, the rows are only locked, because the next statement rechecks them
-- rels, tids: the rows to take
-- kept: how many rows are kept, by what keeps them
-- contended: how many rows could not be locked
-- Rows that are no longer due, and rows of other passes, are in none of these. Raises PR005 if a
-- join returns several rows for one row.
CREATE OR REPLACE FUNCTION retention._lock_and_recheck(
    p_policy retention.policy, p_batch retention.batch_range, p_table regclass, p_rels oid[], p_tids tid[],
    p_recheck boolean, OUT contended bigint, OUT rels oid[], OUT tids tid[], OUT kept jsonb)
LANGUAGE plpgsql AS $function$
DECLARE
    v_batch retention.batch_range := p_batch; v_pass CONSTANT jsonb := p_policy.passes -> (p_batch.pass - 1);
    v_parts CONSTANT boolean := EXISTS (SELECT FROM pg_class c WHERE c.oid = p_table AND c.relkind = 'p');
    -- The server compares with the array first, because that costs little. So an error of a row in
    -- another partition, at the same place, does not refuse a batch of one row.
    v_these CONSTANT text := CASE WHEN v_parts THEN
        ' AND %1$s.%2$s = ANY ($2)
          AND (%1$s.%2$s, %1$s.%3$s) IN (SELECT x.rel, x.tid FROM unnest($2, $3) x (rel, tid))' ELSE '' END;
    v_locked bigint; v_judged record;
BEGIN
    EXECUTE format('SELECT coalesce(array_agg(l.rel), ''{}''), coalesce(array_agg(l.tid), ''{}'')
                    FROM (SELECT t.tableoid AS rel, t.ctid AS tid FROM %s t
                        WHERE t.ctid = ANY ($3)%s FOR UPDATE OF t%s) l',
                   p_table, format(v_these, 't', 'tableoid', 'ctid'),
                       CASE WHEN v_pass ? 'whole' THEN '' ELSE ' SKIP LOCKED' END)
    INTO v_batch.rels, v_batch.tids USING v_batch, p_rels, p_tids;
    v_locked := cardinality(v_batch.tids); contended := cardinality(p_tids) - v_locked;
    rels := v_batch.rels; tids := v_batch.tids; kept := '{}';
    IF p_recheck THEN
        v_judged := retention._judge(p_policy, v_batch, p_table, v_batch.rels, v_batch.tids, '');
        rels := v_judged.rels; tids := v_judged.tids; kept := v_judged.kept;
        IF v_judged.due > v_locked THEN
            RAISE SQLSTATE 'PR005' USING MESSAGE = format('a join found more than one row for a row of table "%s"',
                p_policy.table_name);
        END IF;
    END IF;
    IF p_recheck AND cardinality(tids) > 0 AND (v_pass ? 'below' OR retention._holds(p_policy.name, p_batch.as_of)) THEN
        SELECT coalesce(array_agg(x.rel) FILTER (WHERE h.tid IS NULL), '{}'),
               coalesce(array_agg(x.tid) FILTER (WHERE h.tid IS NULL), '{}'),
               CASE WHEN count(h.tid) > 0 THEN retention._add_counts(kept, jsonb_build_object('hold', count(h.tid)))
                    ELSE kept END
        INTO rels, tids, kept FROM unnest(rels, tids) x (rel, tid)
        LEFT JOIN (SELECT DISTINCT * FROM retention._held(p_policy.name, rels, tids, p_batch.as_of, true)) h
            ON (h.rel, h.tid) = (x.rel, x.tid);
    END IF;
    -- A rank also finds rows of other passes. Those do not count as contended.
    IF contended > 0 AND jsonb_array_length(p_policy.passes) > 1 THEN
        SELECT array_agg(x.rel), array_agg(x.tid) INTO v_batch.rels, v_batch.tids
        FROM unnest(p_rels, p_tids) x (rel, tid)
        LEFT JOIN unnest(v_batch.rels, v_batch.tids) l (rel, tid) USING (rel, tid) WHERE l.tid IS NULL;
        EXECUTE format('SELECT count(DISTINCT (d.rel, d.tid)) FROM %s WHERE d.tid = ANY ($3)%s',
                       retention._rows_call(p_policy), format(v_these, 'd', 'rel', 'tid'))
        INTO contended USING v_batch, v_batch.rels, v_batch.tids;
    END IF;
END $function$;
