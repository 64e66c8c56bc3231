-- _batch_as_worker takes the next rows of <policy>_rows, at most p_rows, by _take_rows. If it
-- raises an error, its caller rolls it back.
-- p_lock is false: one statement checks and takes the rows. PostgreSQL rechecks a row that was
-- updated meanwhile. If guards read other tables, another statement first locks the rows, and skips
-- rows that another session has locked. Raises 55P03 if a row stays for which there is no guard or
-- hold, or if a group of a rank has more rows than at the start.
-- p_lock is true: the function first locks the rows, and skips rows that another session has
-- locked. If guards kept most rows of the last batch, it does not lock the rows that guards keep.
-- It rechecks the locked rows and their holds in a newer snapshot. If the policy only deletes its
-- rows, or its guards alone read other tables, one statement rechecks and takes them. It skips rows
-- that steps refuse, unless the pass may skip no row.
-- p_skip: the batch skips the next row without touching it.
-- Locks: ROW EXCLUSIVE on the table, and FOR UPDATE on the rows. It waits for locked rows only if a
-- watermark moves past them.
CREATE OR REPLACE FUNCTION retention._batch_as_worker(
    p_policy retention.policy, p_batch retention.batch_range, p_rows integer, p_skip boolean, p_lock boolean)
RETURNS retention.batch_result
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET timezone = 'UTC' SET datestyle = 'ISO, YMD'
SET intervalstyle = 'postgres' SET bytea_output = 'hex' SET extra_float_digits = 1 SET standard_conforming_strings = on
SET lc_monetary = 'C' SET lc_numeric = 'C' SET lc_time = 'C' SET transform_null_equals = off SET array_nulls = on
SET row_security = off SET jit = off SET plan_cache_mode = auto SET enable_seqscan = off SET enable_bitmapscan = off
SET enable_sort = on SET enable_hashjoin = on SET enable_mergejoin = on
SET max_parallel_workers_per_gather = 0 SET random_page_cost = 0.1 SET cpu_tuple_cost = 0.01 AS $function$
DECLARE
    v_batch retention.batch_range := p_batch; v_pass CONSTANT jsonb := p_policy.passes -> (p_batch.pass - 1);
    v_table CONSTANT regclass := CASE WHEN p_lock OR v_pass ?| '{groups,lock}'
        THEN retention._table(p_policy.table_name) END;
    v_found record; v_refusing record; v_rechecked record; v_taken retention.take_result; v_left bigint;
    v_halves record; v_group bigint; v_since timestamptz;
    v_out retention.batch_result; v_context text;
    v_rechecks boolean;  -- the statement that takes locked rows also rechecks them
BEGIN
    IF p_policy.partitions THEN
        PERFORM retention._pin(p_policy);
        v_out := retention._batch_partitions(p_policy, p_batch, p_rows, p_skip);
        SET CONSTRAINTS ALL IMMEDIATE;
        RETURN v_out;
    END IF;
    IF p_lock THEN  -- without p_lock the statement itself waits for the table
        BEGIN
            EXECUTE format('LOCK TABLE ONLY %s IN ROW EXCLUSIVE MODE', v_table);
        EXCEPTION WHEN lock_not_available THEN
            v_out.outcome := 'locked';
            RETURN v_out;
        END;
    END IF;
    PERFORM retention._pin(p_policy);
    -- A high cost for each row makes the planner use indexes for guards and joins, and not hash
    -- tables. Ranks read many rows, so they keep the normal cost.
    IF NOT v_pass ? 'ranked' THEN PERFORM set_config('cpu_tuple_cost', '1', true); END IF;
    PERFORM retention._plan_for_places(v_pass);
    v_rechecks := p_lock AND NOT v_pass ?| '{whole,below}' AND p_batch.unheld IS NOT NULL
        AND (v_pass ? 'lock' OR jsonb_array_length(p_policy.steps) = 1 AND p_policy.steps
            @? '$[*] ? (@.verb == "delete" && !exists(@.related) && !exists(@.where))');
    v_since := clock_timestamp();
    BEGIN
        v_found := retention._next_rows(p_policy, v_batch, CASE WHEN p_batch.prove THEN 0 ELSE p_rows END, NOT p_lock);
    EXCEPTION WHEN query_canceled OR assert_failure OR OTHERS THEN
        GET STACKED DIAGNOSTICS v_context = PG_EXCEPTION_CONTEXT;
        IF NOT p_skip OR NOT v_pass ? 'cursor'
            OR retention._refused_by(SQLSTATE, v_context, SQLERRM) IS DISTINCT FROM 'row' THEN
            RAISE;
        END IF;
        -- The rows before the failing row raise no error.
        v_refusing := retention._find_failing_row(p_policy, p_batch);
        IF v_refusing.hi IS NULL THEN RAISE; END IF;
        RETURN ROW('some', 1, 0, '{}', 0, '{}', v_refusing.hi, v_refusing.passed, NULL, NULL,
            NULL)::retention.batch_result;
    END;
    -- These rows bound everything that follows, so guards and steps may use every kind of index.
    PERFORM set_config('enable_bitmapscan', 'on', true);
    v_batch.hi := v_found.hi; v_batch.last := v_found.last; v_batch.groups := v_found.keys;
    v_out := ROW(CASE WHEN v_found.last THEN 'last' ELSE 'some' END, v_found.scanned, 0, '{}', 0, '{}',
        coalesce(v_found.hi, p_batch.lo), NULL, NULL, NULL, NULL);
    IF NOT p_lock AND v_pass ? 'lock' THEN  -- the rows are locked
        v_batch.rels := v_found.rels; v_batch.tids := v_found.tids;
        v_out.contended := v_found.scanned - cardinality(v_found.tids);
    END IF;
    IF p_skip THEN
        v_out.passed := concat(v_found.rels[1], ' ', v_found.tids[1]);
    ELSIF p_lock THEN
        IF p_batch.judge AND v_pass ? 'cursor' AND NOT v_pass ? 'whole' THEN
            v_rechecked := retention._judge(p_policy, v_batch, v_table, v_found.rels, v_found.tids, '');
            v_found.rels := v_rechecked.rels; v_found.tids := v_rechecked.tids; v_out.kept := v_rechecked.kept;
        END IF;
        v_rechecked := retention._lock_and_recheck(p_policy, v_batch, v_table, v_found.rels, v_found.tids,
            NOT v_rechecks);
        v_batch.rels := v_rechecked.rels; v_batch.tids := v_rechecked.tids;
        v_out.contended := v_rechecked.contended;
        v_out.kept := retention._add_counts(v_out.kept, v_rechecked.kept);
    END IF;
    -- The rows say where they are. A comparison of their positions would cost more than the rest.
    IF v_batch.tids IS NOT NULL AND v_pass ? 'range' THEN v_batch.lo := NULL; v_batch.hi := NULL; END IF;
    IF NOT p_skip AND (cardinality(v_batch.tids) > 0 OR p_batch.prove OR v_pass ? 'whole'
        OR v_batch.tids IS NULL AND coalesce(v_batch.hi, v_batch.groups) IS NOT NULL) THEN
        -- With force_custom_plan, PostgreSQL plans the queries of foreign keys again for each row,
        -- unless <policy>_take uses EXECUTE.
        IF NOT v_pass ? 'range' AND NOT v_rechecks THEN
            PERFORM set_config('plan_cache_mode', 'force_custom_plan', true);
        END IF;
        IF NOT p_lock OR p_batch.prove OR v_pass ?| '{whole,undone}' THEN  -- takes all rows or none
            v_taken := retention._take_rows(p_policy, v_batch, p_lock, v_rechecks, v_table,
                v_out.scanned - v_out.contended);
        ELSE
            v_halves := retention._take_by_halves(p_policy, v_batch, v_rechecks, v_table);
            v_taken := v_halves.result; v_out.refused := v_halves.refused; v_out.undone := v_halves.undone;
        END IF;
        v_out.taken := v_taken.taken; v_out.related := v_taken.related;
        v_out.kept := retention._add_counts(v_out.kept, v_taken.kept);
    END IF;
    -- The position is an array of two numbers: the number of the last group, and how many rows of
    -- this group the run has skipped so far.
    IF v_found.groups <> '{}' AND (p_skip OR v_found.hi IS NULL) THEN
        v_group := v_found.groups[cardinality(v_found.groups)];
        EXECUTE format('SELECT count(*) FROM unnest($1, $2, $3) x ("group", rel, tid)
                        JOIN %s t ON t.ctid = x.tid AND t.tableoid = x.rel WHERE x."group" = $4', v_table)
        INTO v_left USING v_found.groups, v_found.rels, v_found.tids, v_group;
        v_out."position" := jsonb_build_array(v_group, v_left + CASE WHEN v_group = coalesce(
            (p_batch.lo ->> 0)::bigint, 1) THEN coalesce((p_batch.lo ->> 1)::bigint, 0) ELSE 0 END);
    END IF;
    SET CONSTRAINTS ALL IMMEDIATE;  -- a deferred foreign key fails here, not at COMMIT
    v_out.ms := extract(epoch FROM clock_timestamp() - v_since) * 1000;
    RETURN v_out;
END $function$;
