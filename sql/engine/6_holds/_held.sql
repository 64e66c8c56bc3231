-- _held returns which of some rows of a policy are held. A row is held in these cases:
-- - A hold matches the row itself.
-- - Deleting the row would delete or change a held row along foreign keys.
-- - A step would change or drop a held row of another table because of the row.
-- p_lock: true for batches, see _held_below
CREATE OR REPLACE FUNCTION retention._held(
    p_policy text, p_rels oid[], p_tids tid[], p_as_of timestamptz, p_lock boolean) RETURNS TABLE (rel oid, tid tid)
LANGUAGE plpgsql AS $function$
DECLARE
    v_policy CONSTANT retention.policy := retention._get_policy(p_policy);
    v_table CONSTANT oid := retention._table(v_policy.table_name);
    v_root CONSTANT oid := coalesce(pg_partition_root(v_table), v_table);
    v_held integer[]; v_step integer; v_deletes boolean; v_reached oid; v_n integer[]; v_rels oid[]; v_tids tid[];
BEGIN
    IF coalesce(cardinality(p_rels), 0) = 0 THEN RETURN; END IF;
    v_held := retention._held_below(
        v_root, ARRAY(SELECT generate_series(1, cardinality(p_rels))), p_rels, p_tids,
        v_policy.table_name = ANY (v_policy.deletes), p_as_of, p_lock, p_policy);
    FOR v_step, v_deletes, v_reached, v_n, v_rels, v_tids IN
        SELECT r.step, r.deletes, min(r.rel), array_agg(r.n), array_agg(r.rel), array_agg(r.tid)
        FROM retention._related(v_policy, p_rels, p_tids, p_as_of) r
        WHERE r.rel IS NOT NULL GROUP BY r.step, r.deletes
    LOOP
        v_held := v_held || retention._held_below(coalesce(pg_partition_root(v_reached), v_reached), v_n,
                                                  v_rels, v_tids, v_deletes, p_as_of, p_lock, p_policy);
    END LOOP;
    IF v_policy.steps @? '$[*] ? (@.verb == "drop table")' THEN
        SELECT v_held || array_agg(r.n) INTO v_held FROM retention._related(v_policy, p_rels, p_tids, p_as_of) r
        CROSS JOIN LATERAL retention._drop_refusal(r.name, p_policy, p_as_of) d
        WHERE r.rel IS NULL AND d.reason IS NOT NULL AND d.code = 'PR002';
    END IF;
    RETURN QUERY SELECT x.rel, x.tid FROM unnest(p_rels, p_tids) WITH ORDINALITY x (rel, tid, n)
                 WHERE x.n IN (SELECT unnest(v_held));
END $function$;
