-- _effects returns what the steps of a policy would do to p_limit due rows, or to all due rows if
-- p_limit is NULL. The steps of the policy say it (<policy>_effects). A policy without such a
-- function only deletes its rows. One more result row, with verb "due", has the number of due rows
-- that the steps would get.
CREATE OR REPLACE FUNCTION retention._effects(
    p_policy text, p_as_of timestamptz, p_limit bigint, p_scope jsonb, p_older_than interval)
RETURNS SETOF retention.effect LANGUAGE plpgsql STABLE AS $function$
DECLARE
    v_policy CONSTANT retention.policy := retention._get_policy(p_policy);
    v_batch retention.batch_range := retention._batch_range(p_as_of, p_older_than, p_scope);
BEGIN
    EXECUTE format(
        'WITH _found AS MATERIALIZED (SELECT d.rel, d.tid FROM %s WHERE d.verdict IS NULL
            OR d.verdict = ''passed''),
         _held AS MATERIALIZED (
             SELECT h.rel, h.tid
             FROM retention._held($3, ARRAY(SELECT f.rel FROM _found f), ARRAY(SELECT f.tid FROM _found f), $5, false) h
             WHERE $4)
         SELECT array_agg(b.rel), array_agg(b.tid) FROM (
             SELECT f.rel, f.tid FROM _found f WHERE (f.rel, f.tid) NOT IN (SELECT h.rel, h.tid FROM _held h)
             LIMIT $2) b',
        retention._rows_call(v_policy))
    INTO v_batch.rels, v_batch.tids
    USING v_batch, p_limit, p_policy, NOT v_policy.partitions AND retention._holds(p_policy, p_as_of), p_as_of;
    RETURN QUERY SELECT 0, 'due', NULL::text, NULL::oid, NULL::tid, coalesce(cardinality(v_batch.rels), 0)::bigint,
        NULL::text;
    IF v_policy.steps = jsonb_build_array(
        jsonb_build_object('step', 1, 'verb', 'delete', 'table', v_policy.table_name)) THEN
        RETURN QUERY SELECT 1, 'delete', v_policy.table_name, x.rel, x.tid, NULL::bigint, NULL::text
        FROM unnest(v_batch.rels, v_batch.tids) x (rel, tid);
    ELSE
        RETURN QUERY EXECUTE format('SELECT e.* FROM retention.%I($1) e', p_policy || '_effects') USING v_batch;
    END IF;
END $function$;
