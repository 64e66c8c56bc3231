-- _process_batch takes the rows of one batch, in several attempts if needed. It rolls back an
-- attempt that raises an error. If the attempt did not lock the rows first, the next one does. If
-- the rows are locked, _take_by_halves skips rows that steps refuse. So only conditions, locks and
-- statements raise errors. After such an error, the next attempt has a tenth of the rows, or 1. If
-- one row alone fails, the function counts and skips it. Then attempts grow again, until all rows
-- in doubt are processed or a second is over. After an error of a row, an attempt has at most 1,000
-- rows, so that it can take them by halves.
-- If a watermark moves past the rows, no row may be skipped, and the function returns refused as
-- NULL. It raises an error again if no row causes it. If the policy sets batch.whole, it raises
-- every error again.
CREATE OR REPLACE FUNCTION retention._process_batch(
    p_run retention.run, p_policy retention.policy, p_unheld text, p_locked boolean, INOUT p_next retention.batch,
    OUT outcome text)
LANGUAGE plpgsql AS $function$
DECLARE
    v_batch retention.batch_range := retention._batch_range(p_run.as_of, p_run.older_than, p_run.scope);
    v_rows integer := least(p_next.next_rows, p_policy.budget_rows - p_next.total_taken); v_skip boolean := false;
    v_pass CONSTANT pg_catalog.jsonb := p_policy.passes -> (p_next.next_pass - 1);
    v_started CONSTANT pg_catalog.timestamptz := clock_timestamp(); v_locked boolean := p_locked;
    v_doubtful bigint := 0; v_by pg_catalog.text; v_try pg_catalog.record; v_code pg_catalog.text;
    v_context pg_catalog.text; v_proven boolean := false; v_cancelled boolean := false;
BEGIN
    v_batch.run_id := p_run.id; v_batch.reason := p_run.reason; v_batch.inputs := p_run.inputs;
    v_batch.unheld := p_unheld;
    v_batch.judge := v_pass ? 'guarded' AND retention._kept_most(p_run, p_next.n - 1);
    v_batch.pass := p_next.next_pass; v_batch.lo := p_next.next_position;
    v_batch.hi := CASE WHEN p_next.wrapped AND v_batch.pass = (p_run.start_position ->> 0)::integer
        THEN p_run.start_position -> 1 END;
    LOOP
        BEGIN
            v_try := retention._attempt_batch(p_policy, v_batch, v_rows, v_skip, v_locked, p_next);
        EXCEPTION WHEN query_canceled OR assert_failure OR OTHERS THEN
            GET STACKED DIAGNOSTICS v_context = PG_EXCEPTION_CONTEXT;
            v_by := retention._refused_by(SQLSTATE, v_context, SQLERRM);
            IF coalesce(v_by, 'server') = 'server' OR v_skip THEN RAISE; END IF;
            -- In the log, 57014 means a cancel, so the 57014 of a row is logged as P0001. If no
            -- single row raises 57014, it was a cancel.
            v_cancelled := v_cancelled OR SQLSTATE = '57014';
            v_code := CASE SQLSTATE WHEN '57014' THEN 'P0001' ELSE SQLSTATE END;
            IF v_by = 'row' AND v_pass ? 'undone' THEN
                RAISE EXCEPTION USING ERRCODE = v_code, MESSAGE = SQLERRM;
            ELSIF v_by = 'row' AND v_locked AND NOT v_proven THEN
                IF retention._fails_without_rows(p_policy, v_batch, p_next, SQLSTATE) THEN RAISE; END IF;
                v_proven := true;
            END IF;
            -- The batch's row reports the first error.
            IF p_next.refused = 0 THEN p_next.sqlstate := v_code; p_next.message := SQLERRM; END IF;
            v_doubtful := greatest(v_doubtful, v_rows);
            IF v_rows = 1 AND v_locked AND v_pass ? 'whole' THEN
                p_next.refused := NULL;
                RETURN;
            END IF;
            v_skip := v_locked AND v_rows = 1;
            v_rows := greatest(1, CASE WHEN v_locked THEN v_rows / 10 ELSE v_rows END); v_locked := true;
            IF v_by <> 'lock' THEN v_rows := least(v_rows, 1000); END IF;
            CONTINUE;
        END;
        p_next := v_try.p_next; outcome := (v_try.result).outcome;
        EXIT WHEN outcome = 'locked';
        IF v_skip AND (v_try.result).scanned > 0 THEN
            p_next := retention._skip_row(p_next, p_policy, v_by, (v_try.result).passed);
            v_cancelled := v_cancelled AND v_by <> 'row';
        END IF;
        v_doubtful := v_doubtful - (v_try.result).scanned;
        EXIT WHEN outcome = 'last' OR v_doubtful <= 0
            OR clock_timestamp() > v_started + interval '1 s' AND NOT v_cancelled;
        v_batch.lo := p_next.next_position;
        v_rows := least(v_doubtful, 1000, v_rows::bigint * CASE WHEN v_skip THEN 1 ELSE 10 END); v_skip := false;
    END LOOP;
    IF v_cancelled THEN RAISE query_canceled USING MESSAGE = 'canceling statement due to a cancel in a batch'; END IF;
END $function$;
