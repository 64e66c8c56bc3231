-- _effects returns what the steps of a policy would do to p_limit due rows, or to all due rows if
-- p_limit is NULL. The steps of the policy say it (<policy>_effects). A policy without such a
-- function only deletes its rows. One more result row, with verb "due", has the number of due rows
-- that the steps would get.
CREATE OR REPLACE FUNCTION retention._effects(
    p_policy text, p_as_of timestamptz, p_limit bigint, p_scope jsonb, p_older_than interval)
RETURNS SETOF retention.effect LANGUAGE plpgsql STABLE AS $function$
DECLARE
    v_policy CONSTANT retention.policy := retention._get_policy(p_policy);
    v_batch CONSTANT retention.batch_range := retention._batch_range(p_as_of, p_older_than, p_scope);
    v_due CONSTANT text := format('SELECT d.rel, d.tid FROM %s WHERE (d.verdict IS NULL OR d.verdict = ''passed'')',
        retention._rows_call(v_policy));
    v_held_rels oid[]; v_held_tids tid[];
BEGIN
    IF NOT v_policy.partitions AND retention._holds(p_policy, p_as_of) THEN
        EXECUTE format('SELECT array_agg(h.rel), array_agg(h.tid)
            FROM (SELECT array_agg(d.rel) AS rels, array_agg(d.tid) AS tids FROM (%s) d) f
            CROSS JOIN LATERAL retention._held($2, f.rels, f.tids, $3, false) h', v_due)
        INTO v_held_rels, v_held_tids USING v_batch, p_policy, p_as_of;
    END IF;
    RETURN QUERY EXECUTE CASE
        WHEN v_policy.steps = jsonb_build_array(
            jsonb_build_object('step', 1, 'verb', 'delete', 'table', v_policy.table_name)) THEN
            format('WITH b AS MATERIALIZED (
                    %s AND (d.rel, d.tid) NOT IN (SELECT x.rel, x.tid FROM unnest($2, $3) x (rel, tid)) LIMIT $4)
                SELECT 0, ''due'', NULL::text, NULL::oid, NULL::tid, count(*), NULL::text FROM b
                UNION ALL SELECT 1, ''delete'', %L, b.rel, b.tid, NULL, NULL FROM b', v_due, v_policy.table_name)
        ELSE format('SELECT e.* FROM retention.%I($1, $2, $3, $4) e', p_policy || '_effects') END
    USING v_batch, v_held_rels, v_held_tids, p_limit;
END $function$;
