-- _recheck_and_take rechecks locked rows of a policy whose only step is a delete of these rows, and
-- deletes the rows that nothing keeps. It does both in one statement, whose snapshot is newer than
-- the locks. It evaluates each guard once for each row. Raises PR005 if a join returns several rows
-- for one row.
-- due: how many rows it tried to delete
-- kept: how many rows it left, by what kept them
CREATE OR REPLACE FUNCTION retention._recheck_and_take(
    p_policy retention.policy, p_batch retention.batch_range, p_table regclass, OUT taken bigint, OUT due bigint,
    OUT kept jsonb)
LANGUAGE plpgsql AS $function$
DECLARE
    v_parts CONSTANT boolean := EXISTS (SELECT FROM pg_class c WHERE c.oid = p_table AND c.relkind = 'p');
    v_rows bigint;
BEGIN
    EXECUTE format('WITH d AS MATERIALIZED (
            SELECT d.rel, d.tid, coalesce(rtrim(d.verdict, ''?''), CASE WHEN (true%s) IS NOT TRUE THEN ''hold'' END)
                AS verdict
            FROM %s CROSS JOIN LATERAL (SELECT (d.t).*) t WHERE d.tid = ANY (($1).tids)%s
        ), x AS (DELETE FROM %s t WHERE t.ctid = ANY (ARRAY(SELECT d.tid FROM d WHERE d.verdict IS NULL))%s RETURNING 1)
        SELECT (SELECT count(*) FROM x), count(*) FILTER (WHERE d.verdict IS NULL), count(*),
            (SELECT jsonb_object_agg(k.verdict, k.n) FROM (
                SELECT d.verdict, count(*) AS n FROM d WHERE d.verdict IS NOT NULL GROUP BY d.verdict) k)
        FROM d', p_batch.unheld, retention._rows_call(p_policy),
        CASE WHEN v_parts THEN
            ' AND d.rel = ANY (($1).rels)
              AND (d.rel, d.tid) IN (SELECT u.rel, u.tid FROM unnest(($1).rels, ($1).tids) u (rel, tid))' END,
        p_table, CASE WHEN v_parts THEN
            ' AND (t.tableoid, t.ctid) IN (SELECT d.rel, d.tid FROM d WHERE d.verdict IS NULL)' END)
    INTO taken, due, v_rows, kept USING p_batch;
    IF v_rows > cardinality(p_batch.tids) THEN
        RAISE SQLSTATE 'PR005' USING MESSAGE = format('a join found more than one row for a row of table "%s"',
            p_policy.table_name);
    END IF;
END $function$;
