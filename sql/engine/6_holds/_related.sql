-- _related returns the rows of other tables that steps would delete or change because of some rows
-- of the policy (n, in p_rels and p_tids). It evaluates only the condition that joins the two
-- tables, not the step's other conditions. It is VOLATILE, so that it sees the rows as they are
-- after it waited for a lock.
CREATE OR REPLACE FUNCTION retention._related(
    p_policy retention.policy, p_rels oid[], p_tids tid[], p_as_of timestamptz)
RETURNS TABLE (step integer, n integer, rel oid, tid tid, deletes boolean) LANGUAGE plpgsql AS $function$
DECLARE v_found text;
BEGIN
    WITH step AS (
        SELECT e.* FROM jsonb_to_recordset(p_policy.steps) e(step integer, verb text, "table" text, related text,
            "as" text, "on" text, blind boolean)
        WHERE e.step > 0 AND e.blind IS NOT TRUE
    )
    SELECT string_agg(format('SELECT r.* FROM (%sSELECT %s, _batch.n, %I.tableoid, %3$I.ctid, %L::boolean %s'
               ' JOIN _batch ON t.tableoid = _batch.rel AND t.ctid = _batch.tid JOIN %s %3$I ON (%7$s)) r',
               'WITH ' || r.rest || ' ', s.step, s."as", s.verb = 'delete',
               coalesce(p_policy.joined, format('FROM %s t', retention._table(p_policy.table_name)::regclass)),
               retention._table(s.related)::regclass, s."on"), ' UNION ALL ')
    INTO v_found FROM step s CROSS JOIN LATERAL (
        SELECT string_agg(format('%I AS NOT MATERIALIZED (SELECT o.* FROM %s o WHERE %s)', 'rest of ' || d."table",
                   retention._table(d."table")::regclass, (d."table" = s.related)::text), ', ') AS rest
        FROM (SELECT DISTINCT x."table" FROM step x WHERE x.verb = 'delete' AND x.step < s.step) d) r
    WHERE s.related IS NOT NULL AND s.verb IN ('delete', 'update');
    IF v_found IS NOT NULL THEN
        RETURN QUERY EXECUTE 'WITH _batch AS (SELECT x.rel, x.tid, x.n::integer
            FROM unnest($2, $3) WITH ORDINALITY x (rel, tid, n)) ' || v_found
        USING retention._batch_range(p_as_of), p_rels, p_tids;
    END IF;
END $function$;
