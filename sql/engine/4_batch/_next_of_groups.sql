-- _next_of_groups does the work of _next_rows for a ranked pass. It returns the surplus rows of
-- groups, and the keys of the groups. A position is an array of two numbers: the number of a group,
-- and how many rows of this group the run skipped. _batch_as_worker determines the position at its
-- end.
-- p_range: return only groups whose surplus rows one statement can take
CREATE OR REPLACE FUNCTION retention._next_of_groups(
    p_policy retention.policy, p_batch retention.batch_range, p_rows integer, p_range boolean, OUT scanned bigint,
    OUT rels oid[], OUT tids tid[], OUT keys jsonb, OUT groups bigint[], OUT hi jsonb, OUT last boolean)
LANGUAGE plpgsql AS $function$
DECLARE
    v_batch retention.batch_range := p_batch; v_first CONSTANT bigint := coalesce((p_batch.lo ->> 0)::bigint, 1);
    v_passed CONSTANT bigint := coalesce((p_batch.lo ->> 1)::bigint, 0); v_last bigint;
BEGIN
    SELECT jsonb_agg(to_jsonb(g.key) ORDER BY g.ordinal), max(g.ordinal), coalesce(sum(g.surplus), 0) INTO keys,
        v_last, scanned
    FROM (SELECT r.*, sum(r.surplus) OVER (ORDER BY r.ordinal) - r.surplus AS before
          FROM (SELECT r.* FROM retention.run_group r
                WHERE r.run_id = p_batch.run_id AND r.pass = p_batch.pass AND r.ordinal >= v_first
                ORDER BY r.ordinal LIMIT greatest(p_rows, 1)) r) g
    WHERE CASE WHEN p_range THEN g.before = 0 OR g.before + g.surplus <= p_rows ELSE g.before < p_rows + v_passed END;
    IF p_range THEN
        last := NOT EXISTS (SELECT FROM retention.run_group r WHERE r.run_id = p_batch.run_id AND r.pass = p_batch.pass
                            AND r.ordinal > coalesce(v_last, v_first - 1));
        hi := CASE WHEN NOT last THEN jsonb_build_array(v_last + 1, 0) END;
        RETURN;
    END IF;
    v_batch.groups := keys;
    EXECUTE format('SELECT count(*), coalesce(array_agg(x.rel), ''{}''), coalesce(array_agg(x.tid), ''{}''),
        coalesce(array_agg(x.n + $4), ''{}'')
                    FROM (SELECT b.* FROM retention.%I($1) b LIMIT $2 OFFSET $3) x',
                   p_policy.name || '_beyond')
    INTO scanned, rels, tids, groups USING v_batch, p_rows, v_passed, v_first - 1;
    last := p_batch.prove OR scanned < p_rows AND NOT EXISTS (
        SELECT FROM retention.run_group r WHERE r.run_id = p_batch.run_id AND r.pass = p_batch.pass
            AND r.ordinal > v_last);
    hi := CASE WHEN scanned < p_rows AND NOT last THEN jsonb_build_array(v_last + 1, 0) END;
END $function$;
