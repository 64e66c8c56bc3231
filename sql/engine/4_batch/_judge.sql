-- _judge evaluates <policy>_rows for rows of a batch, in a new snapshot. It locks nothing, and
-- evaluates each guard once for each row.
-- p_unheld: conditions under which no hold keeps row t, or '' to leave out holds
-- due: how many rows are due. Kept rows count, too.
-- rels, tids: the rows to take
-- kept: how many rows are kept, by what keeps them
-- Rows that are no longer due, and rows of other passes, are in none of these.
CREATE OR REPLACE FUNCTION retention._judge(
    p_policy retention.policy, p_batch retention.batch_range, p_table regclass, p_rels oid[], p_tids tid[],
    p_unheld text, OUT due bigint, OUT rels oid[], OUT tids tid[], OUT kept jsonb)
LANGUAGE plpgsql AS $function$
DECLARE v_parts CONSTANT boolean := EXISTS (SELECT FROM pg_class c WHERE c.oid = p_table AND c.relkind = 'p');
BEGIN
    -- The server compares with the array first, because that costs little. So an error of a row in
    -- another partition, at the same place, does not refuse a batch of one row.
    EXECUTE format('WITH d AS MATERIALIZED (
            SELECT d.rel, d.tid, coalesce(rtrim(d.verdict, ''?''), %s) AS verdict FROM %s WHERE d.tid = ANY ($3)%s
        )
        SELECT (SELECT count(*) FROM d),
            ARRAY(SELECT d.rel FROM d WHERE d.verdict IS NULL OR d.verdict = ''passed''),
            ARRAY(SELECT d.tid FROM d WHERE d.verdict IS NULL OR d.verdict = ''passed''),
            (SELECT coalesce(jsonb_object_agg(k.verdict, k.n), ''{}'') FROM (
                SELECT d.verdict, count(*) AS n FROM d WHERE d.verdict <> ''passed'' GROUP BY d.verdict) k)',
        CASE p_unheld WHEN '' THEN 'NULL' ELSE format('CASE WHEN (true%s) IS NOT TRUE THEN ''hold'' END', p_unheld) END,
        retention._rows_call(p_policy) || CASE WHEN p_unheld <> '' THEN ' CROSS JOIN LATERAL (SELECT (d.t).*) t'
            ELSE '' END,
        CASE WHEN v_parts THEN ' AND d.rel = ANY ($2) AND (d.rel, d.tid) IN (
            SELECT x.rel, x.tid FROM unnest($2, $3) x (rel, tid))' END)
    INTO due, rels, tids, kept USING p_batch, p_rels, p_tids;
END $function$;
