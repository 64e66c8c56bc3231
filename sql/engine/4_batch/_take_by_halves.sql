-- _take_by_halves takes the rows of a batch by _take_rows. The rows are locked and rechecked. If a
-- row or a hold raises an error, the error undoes only a part of the rows, and the function takes
-- the first half of this part. It skips a row that fails alone.
-- refused: an array with [cause, row, SQLSTATE, message] for each skipped row. _refused_by returns
--   the cause. The row is its table's OID and its ctid. The first element has the first error, and
--   no cause and row.
-- undone: how many rows of each table in reach the undone parts had changed
-- Errors that it raises again, so that the caller tries fewer rows or ends the run:
-- - any error if there are more than 1,000 rows, or if the parts take longer than a second
-- - errors of the statement, and errors with another cause than a row or a hold
-- - SQLSTATE 57014: if no row raises it alone, it is a cancel
-- Raises 55P03 if steps for some rows have changed or deleted other rows of the batch.
CREATE OR REPLACE FUNCTION retention._take_by_halves(
    p_policy retention.policy, p_batch retention.batch_range, p_rechecks boolean, p_table regclass,
    OUT result retention.take_result, OUT refused jsonb, OUT undone jsonb)
LANGUAGE plpgsql AS $function$
DECLARE
    v_all CONSTANT integer := cardinality(p_batch.tids); v_part retention.batch_range := p_batch;
    v_from integer := 1;    -- the first row that is not processed yet
    v_size integer := v_all;
    v_failed integer := 0;  -- if it is after v_from, a row from v_from to before v_failed raises an error
    v_started CONSTANT timestamptz := clock_timestamp(); v_reach CONSTANT boolean := p_policy.reach <> '{}';
    v_taken retention.take_result; v_by text; v_state text; v_error jsonb; v_context text; v_statement boolean;
    v_in_place bigint; v_before jsonb;
BEGIN
    result := ROW(0, NULL, '{}'); undone := '{}';
    PERFORM retention._reset_constraints();
    WHILE v_from <= v_all LOOP
        v_part.rels := p_batch.rels[v_from : v_from + v_size - 1];
        v_part.tids := p_batch.tids[v_from : v_from + v_size - 1];
        v_size := cardinality(v_part.tids);
        IF v_reach THEN v_before := retention._changed_rows(p_policy.reach); END IF;
        BEGIN
            v_taken := retention._take_rows(p_policy, v_part, true, p_rechecks, p_table, NULL);
            SET CONSTRAINTS ALL IMMEDIATE;
            result.taken := result.taken + v_taken.taken;
            result.related := retention._add_counts(coalesce(result.related, '{}'), v_taken.related);
            result.kept := retention._add_counts(result.kept, v_taken.kept);
        EXCEPTION WHEN query_canceled OR assert_failure OR OTHERS THEN
            GET STACKED DIAGNOSTICS v_context = PG_EXCEPTION_CONTEXT;
            v_by := retention._refused_by(SQLSTATE, v_context, SQLERRM);
            IF (v_by IN ('row', 'hold')) IS NOT TRUE OR SQLSTATE = '57014' OR v_all > 1000
                OR v_all > 1 AND clock_timestamp() > v_started + interval '1 s' THEN
                RAISE;
            END IF;
            v_state := SQLSTATE; v_error := jsonb_build_array(v_state, SQLERRM);
            refused := coalesce(refused, jsonb_build_array('[null, null]' || v_error));
            IF v_by = 'row' AND v_statement IS NULL THEN
                v_part.rels := '{}'; v_part.tids := '{}'; v_part.prove := true;
                BEGIN
                    PERFORM retention._take_rows(p_policy, v_part, true, p_rechecks, p_table, NULL);
                    SET CONSTRAINTS ALL IMMEDIATE;
                    RAISE SQLSTATE 'PR003';
                EXCEPTION WHEN assert_failure OR OTHERS THEN v_statement := SQLSTATE = v_state;
                END;
                IF v_statement THEN RAISE; END IF;
                v_part.prove := false;
            END IF;
            IF v_reach THEN
                undone := retention._add_counts(undone, (
                    SELECT jsonb_object_agg(a.key, a.value::bigint - (v_before ->> a.key)::bigint)
                    FROM jsonb_each_text(retention._changed_rows(p_policy.reach)) a));
            END IF;
            IF v_size > 1 THEN
                v_failed := v_from + v_size; v_size := v_size / 2;
                CONTINUE;
            END IF;
            refused := refused || jsonb_build_array(jsonb_build_array(
                v_by, concat(p_batch.rels[v_from], ' ', p_batch.tids[v_from])) || v_error);
            v_from := v_from + 1; v_failed := 0;
            -- As many rows as were taken, on average, for each skipped row.
            v_size := greatest(v_from / jsonb_array_length(refused), 1);
            CONTINUE;
        END;
        v_from := v_from + v_size;
        EXIT WHEN v_from > v_all;
        v_size := CASE WHEN v_from < v_failed THEN greatest((v_failed - v_from) / 2, 1) ELSE v_size * 2 END;
        -- The steps for the next part may need deferred constraints.
        PERFORM retention._reset_constraints();
        EXECUTE format('SELECT count(*) FROM unnest($1, $2) x (rel, tid)
                        JOIN %s t ON t.ctid = x.tid AND t.tableoid = x.rel', p_table)
        INTO v_in_place USING p_batch.rels[v_from : v_from + v_size - 1], p_batch.tids[v_from : v_from + v_size - 1];
        IF v_in_place < least(v_size, v_all - v_from + 1) THEN
            RAISE lock_not_available USING MESSAGE = 'steps for some rows of the batch changed other rows of it';
        END IF;
    END LOOP;
END $function$;
