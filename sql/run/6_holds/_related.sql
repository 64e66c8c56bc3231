-- The rows of other tables that steps of a policy would delete or change for some of its rows, the n-th of p_rels and
-- p_tids, as _step_query tells them for holds. VOLATILE: it sees the rows as they are once somebody was waited for.
CREATE OR REPLACE FUNCTION retention._related(
    p_policy retention.policy, p_rels oid[], p_tids tid[], p_as_of timestamptz)
RETURNS TABLE (step integer, n integer, rel oid, tid tid, deletes boolean) LANGUAGE plpgsql AS $function$
DECLARE v_steps CONSTANT text := retention._step_query(p_policy, true); v_found text;
BEGIN
    IF v_steps <> '' THEN
        SELECT string_agg(format('SELECT %s, s.n, s.rel, s.tid, %L::boolean FROM _step_%1$s s', e.step,
            e.verb = 'delete'), ' UNION ALL ')
        INTO v_found FROM jsonb_to_recordset(p_policy.steps) e(step integer, verb text, related text)
        WHERE e.related IS NOT NULL AND e.verb IN ('delete', 'update');
        RETURN QUERY EXECUTE 'WITH _batch AS (SELECT x.rel, x.tid, x.n::integer
            FROM unnest($2, $3) WITH ORDINALITY x (rel, tid, n))'
                             || v_steps || v_found
        USING retention._slice(p_as_of), p_rels, p_tids;
    END IF;
END $function$;
