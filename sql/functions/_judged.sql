-- Locks some rows of a policy, and judges those that could be locked by <policy>_rows, in a newer snapshot: rels and
-- tids are the rows to take, kept counts the others by what keeps them, each by one pass only. Rows that changed
-- meanwhile, so that they are not due, are neither. Raises 21000 where a join finds several rows for one.
CREATE OR REPLACE FUNCTION retention._judged(
    p_policy retention.policy, p_slice retention.slice, p_table regclass, p_rels oid[], p_tids tid[], OUT locked bigint,
    OUT rels oid[], OUT tids tid[], OUT kept jsonb)
LANGUAGE plpgsql AS $function$
DECLARE
    v_slice retention.slice := p_slice;
    v_pass CONSTANT jsonb := p_policy.passes -> (p_slice.pass - 1);
    v_parts CONSTANT boolean := EXISTS (SELECT FROM pg_class c WHERE c.oid = p_table AND c.relkind = 'p');
    v_these CONSTANT text := CASE WHEN v_parts THEN
        ' AND (%1$s.%2$s, %1$s.%3$s) IN (SELECT x.rel, x.tid FROM unnest($2, $3) x (rel, tid))' ELSE '' END;
    v_rows bigint; v_found jsonb; v_free record;
BEGIN
    EXECUTE format('SELECT coalesce(array_agg(l.rel), ''{}''), coalesce(array_agg(l.tid), ''{}'')
                    FROM (SELECT t.tableoid AS rel, t.ctid AS tid FROM %s t
                        WHERE t.ctid = ANY ($3)%s FOR UPDATE OF t%s) l',
                   p_table, format(v_these, 't', 'tableoid', 'ctid'),
                       CASE WHEN v_pass ? 'whole' THEN '' ELSE ' SKIP LOCKED' END)
    INTO v_slice.rels, v_slice.tids USING v_slice, p_rels, p_tids;
    locked := cardinality(v_slice.tids);
    EXECUTE format('SELECT count(*) AS n,
                           coalesce(array_agg(d.rel) FILTER (WHERE d.verdict IS NULL OR d.verdict = ''passed''),
                               ''{}'') AS rels,
                           coalesce(array_agg(d.tid) FILTER (WHERE d.verdict IS NULL OR d.verdict = ''passed''),
                               ''{}'') AS tids,
                           jsonb_agg(ARRAY[rtrim(d.verdict, ''?''), d.rel::text, d.tid::text])
                               FILTER (WHERE d.verdict <> ''passed'') AS kept
                    FROM retention.%I($1) d WHERE d.tid = ANY ($3)%s', p_policy.name || '_rows',
                        format(v_these, 'd', 'rel', 'tid'))
    INTO v_rows, rels, tids, v_found USING v_slice, v_slice.rels, v_slice.tids;
    IF v_rows > locked THEN
        RAISE cardinality_violation USING MESSAGE = format('a join found more than one row for a row of table "%s"',
            p_policy.table_name);
    END IF;
    kept := retention._kept_here(p_policy, v_slice, v_found);
    IF cardinality(tids) > 0 AND retention._holds(p_policy.name, p_slice.as_of) THEN
        SELECT coalesce(array_agg(x.rel), '{}') AS rels, coalesce(array_agg(x.tid), '{}') AS tids INTO v_free
        FROM unnest(rels, tids) x (rel, tid)
        WHERE (x.rel, x.tid) NOT IN (SELECT h.rel, h.tid
            FROM retention._held(p_policy.name, _judged.rels, _judged.tids, p_slice.as_of, true) h);
        IF cardinality(v_free.tids) < cardinality(tids) THEN
            kept := retention._sum(kept, jsonb_build_object('hold', cardinality(tids) - cardinality(v_free.tids)));
        END IF;
        rels := v_free.rels; tids := v_free.tids;
    END IF;
END $function$;
