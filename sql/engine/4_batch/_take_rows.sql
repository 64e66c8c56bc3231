-- _take_rows executes the steps for rows of a batch, by <policy>_take, and compares the number of
-- rows that it took with the number of rows. If p_rechecks is true, the rows were not rechecked.
-- The steps then leave the rows that guards and holds keep, and the function counts these rows. A
-- policy that only deletes its rows uses _recheck_and_take. If the numbers differ:
-- p_lock is true: the function counts rows that a trigger keeps. It raises P0001 instead if the
-- policy has other steps, or if the table has no key and the trigger moved the row.
-- p_lock is false: it raises 55P03.
-- p_scanned: how many rows the batch read, or locked in the statement that read them
CREATE OR REPLACE FUNCTION retention._take_rows(
    p_policy retention.policy, p_batch retention.batch_range, p_lock boolean, p_rechecks boolean, p_table regclass,
    p_scanned bigint)
RETURNS retention.take_result LANGUAGE plpgsql AS $function$
DECLARE
    v_pass CONSTANT jsonb := p_policy.passes -> (p_batch.pass - 1); v_in_place bigint; v_left bigint; v_due bigint;
    v_steps CONSTANT integer := jsonb_array_length(p_policy.steps); v_out retention.take_result;
    v_deletes CONSTANT boolean := p_policy.steps
        @? '$[*] ? (@.verb == "delete" && !exists(@.related) && !exists(@.where))';
    v_judged record;
BEGIN
    IF p_rechecks AND v_deletes AND v_steps = 1 THEN
        SELECT r.taken, r.kept, r.due INTO v_out.taken, v_out.kept, v_due
        FROM retention._recheck_and_take(p_policy, p_batch, p_table) r;
    ELSE
        EXECUTE format('SELECT * FROM retention.%I($1)', p_policy.name || '_take') INTO v_out USING p_batch;
        v_due := cardinality(p_batch.tids);
    END IF;
    v_out.taken := coalesce(v_out.taken, 0);
    IF p_rechecks AND v_out.kept IS NULL AND v_out.taken < v_due THEN  -- the statement left rows
        v_judged := retention._judge(p_policy, p_batch, p_table, p_batch.rels, p_batch.tids, p_batch.unheld);
        v_out.kept := v_judged.kept;
        v_due := v_due - (SELECT coalesce(sum(k.value::bigint), 0) FROM jsonb_each_text(v_out.kept) k);
    END IF;
    v_out.kept := coalesce(v_out.kept, '{}');  -- 'passed' is not a guard
    IF p_lock AND v_out.taken > cardinality(p_batch.tids) THEN
        RAISE SQLSTATE 'PR005' USING
            MESSAGE = format('%s rows were changed, but the batch has %s', v_out.taken, cardinality(p_batch.tids));
    ELSIF NOT (v_pass ? 'range' OR v_deletes AND p_lock) THEN
        RETURN v_out;
    END IF;
    IF (v_pass ? 'guarded' OR p_batch.unheld <> '') AND NOT p_lock AND v_out.taken <> p_scanned THEN
        IF p_batch.tids IS NULL THEN
            v_out.kept := retention._count_kept(p_policy, p_batch);
        ELSE
            v_judged := retention._judge(p_policy, p_batch, p_table, p_batch.rels, p_batch.tids, p_batch.unheld);
            v_out.kept := v_judged.kept;
        END IF;
    END IF;
    v_left := CASE WHEN p_lock THEN v_due - v_out.taken
                   ELSE p_scanned - v_out.taken - (SELECT coalesce(sum(k.value::bigint), 0)
                       FROM jsonb_each_text(v_out.kept) k) END;
    IF NOT v_deletes THEN  -- an update writes only rows that would change
        v_left := least(v_left, 0);
    ELSIF v_left > 0 AND p_lock AND (v_pass ? 'placed' AND v_steps = 1
        OR NOT v_pass ?| '{placed,range}' AND v_steps > 1) THEN
        EXECUTE format('SELECT count(*) FROM unnest($1, $2) x (rel, tid)
                        JOIN %s t ON t.ctid = x.tid AND t.tableoid = x.rel', p_table)
        INTO v_in_place USING p_batch.rels, p_batch.tids;
        v_in_place := v_in_place - cardinality(p_batch.tids) + v_due;  -- kept rows are in place
        -- Without a key, the run would meet a moved row again, without end.
        IF v_pass ? 'placed' AND v_in_place < v_left THEN
            RAISE EXCEPTION USING MESSAGE = format('a trigger or a rule moved %s of %s rows instead of deleting them',
                v_left - v_in_place, v_left + v_out.taken);
        END IF;
        v_left := v_in_place;  -- an earlier step may have deleted some of these rows
    END IF;
    IF v_left > 0 AND p_lock AND v_steps = 1 THEN
        v_out.kept := retention._add_counts(v_out.kept, jsonb_build_object('trigger', v_left));
    ELSIF v_left > 0 OR v_left < 0 AND (v_pass ? 'groups' OR v_steps > 1) THEN
        RAISE EXCEPTION USING ERRCODE = CASE WHEN p_lock THEN 'P0001' ELSE '55P03' END,
            MESSAGE = CASE WHEN v_left < 0 THEN format('%s rows became due while the batch began', -v_left)
                WHEN p_lock THEN format('a trigger or a rule kept %s of %s rows from being deleted', v_left,
                    v_left + v_out.taken)
                ELSE format('%s of %s rows were not taken: another session changed them during the '
                    'statement, or a trigger or rule prevented it', v_left, v_left + v_out.taken) END;
    END IF;
    RETURN v_out;
END $function$;
