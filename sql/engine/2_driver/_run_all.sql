-- _run_all runs policies and reports in order, for run() and run_job(), and counts the due rows
-- that each run left. Then it sends NOTIFY for events and purges the logs. An error in these last
-- steps fails the call, but no run.
-- p_if_due: policies are not run if _tick says that none of their rows is due. It is asked again
--   after each run, because steps of one policy can make rows of the next ones due. If this applies
--   to all policies, the procedure does nothing else.
-- v_ended: the runs that have already ended, by place. A dry run or _idle_policies ended them.
-- v_idle: no row of the policies up to this place is due. The next policy runs.
-- All names are qualified, as in _drive.
CREATE OR REPLACE PROCEDURE retention._run_all(
    p_policies pg_catalog.text[], p_request retention.request, p_strict pg_catalog.bool,
    INOUT p_outcome pg_catalog.text, p_if_due pg_catalog.bool DEFAULT false)
LANGUAGE plpgsql SECURITY INVOKER AS $procedure$
DECLARE
    v_run pg_catalog.int8; v_runs pg_catalog.int8[]; v_ended pg_catalog.int8[] := '{}'; v_end pg_catalog.record;
    v_failure pg_catalog.text; v_sqlstate pg_catalog.text; v_more pg_catalog.bool;
    v_events pg_catalog.bool := false;
    v_idle pg_catalog.int4 := 0;
BEGIN
    BEGIN
        COMMIT;  -- always fails in this block; the error tells whether COMMIT is allowed outside it
    EXCEPTION WHEN invalid_transaction_termination THEN
        -- The caller has begun a transaction.
        IF SQLERRM OPERATOR(pg_catalog.=) 'invalid transaction termination' THEN
            RAISE invalid_transaction_termination
                USING MESSAGE = 'a run cannot be called inside a transaction, because it commits after every batch',
                      HINT = 'CALL it alone: no BEGIN before it, no other statement in the same query, autocommit on.';
        END IF;
    END;
    COMMIT;  -- the new transaction has no locks
    SET TRANSACTION ISOLATION LEVEL READ COMMITTED, READ WRITE;
    p_outcome := NULL;
    DISCARD PLANS;  -- older plans have constants that were evaluated with other settings
    IF p_if_due THEN
        v_idle := retention._tick(p_request.job, p_policies);
        COMMIT AND CHAIN;
        IF v_idle OPERATOR(pg_catalog.=) pg_catalog.cardinality(p_policies) THEN
            p_outcome := 'no row is due';
            RETURN;
        END IF;
    ELSIF p_request.job IS NOT NULL AND NOT p_request.dry_run THEN
        PERFORM retention._ask_again(p_policies);
        COMMIT AND CHAIN;
    END IF;
    p_policies := retention._expand_instances(p_policies);
    COMMIT AND CHAIN;
    IF p_request.dry_run THEN
        FOR v_place IN 1 .. pg_catalog.cardinality(p_policies) LOOP
            BEGIN
                PERFORM retention._ensure_instance(p_policies[v_place]);
            EXCEPTION WHEN OTHERS THEN NULL;  -- its run reports the error
            END;
            COMMIT AND CHAIN;
        END LOOP;
        v_ended := retention._log_dry_run(p_policies, p_request, p_strict);
        COMMIT AND CHAIN;
    END IF;
    FOR v_place IN 1 .. pg_catalog.cardinality(p_policies) LOOP
        IF p_if_due AND v_place OPERATOR(pg_catalog.>) (v_idle OPERATOR(pg_catalog.+) 1) THEN
            v_idle := (v_place OPERATOR(pg_catalog.-) 1)
                OPERATOR(pg_catalog.+) retention._tick(p_request.job, p_policies[v_place:]);
            COMMIT AND CHAIN;
        END IF;
        IF v_place OPERATOR(pg_catalog.<=) v_idle THEN
            p_outcome := pg_catalog.concat_ws(
                E'\n', p_outcome, pg_catalog.concat(p_policies[v_place], ': no row is due'));
            CONTINUE;
        END IF;
        IF pg_catalog.strpos(p_policies[v_place], '@') OPERATOR(pg_catalog.>) 0 THEN  -- an instance
            SELECT i.p_policies, i.p_runs INTO p_policies, v_ended
            FROM retention._idle_policies(v_place, p_request, p_policies, v_ended) i;
        END IF;
        v_run := v_ended[v_place];
        IF v_run IS NULL THEN
            p_request.policy := p_policies[v_place];
            -- During the runs before this one, another job may have run the policy.
            IF v_place OPERATOR(pg_catalog.>) 1 AND p_request.job IS NOT NULL AND NOT p_if_due THEN
                PERFORM retention._ask_again(p_policies[v_place:v_place]);
                COMMIT AND CHAIN;
            END IF;
            CALL retention._drive(p_request, v_run);
        END IF;
        v_runs := pg_catalog.array_append(v_runs, v_run);
        v_end := retention._outcome(v_run, p_policies, v_place, p_strict);
        v_events := v_events OR v_end.events;
        p_outcome := pg_catalog.concat_ws(E'\n', p_outcome, v_end.summary);
        IF v_end.uncounted THEN PERFORM retention._count_left(v_run); END IF;
        COMMIT AND CHAIN;
        IF v_end.failure IS NOT NULL THEN
            v_failure := pg_catalog.concat_ws(E'\n', v_failure, v_end.failure); v_sqlstate := v_end.sqlstate;
        END IF;
        EXIT WHEN v_end.halt;
    END LOOP;
    IF v_events THEN
        PERFORM retention._notify(v_runs);
        COMMIT AND CHAIN;
    END IF;
    LOOP
        v_more := retention._purge_log(v_runs);
        COMMIT AND CHAIN;
        EXIT WHEN v_more IS NOT TRUE;
    END LOOP;
    IF v_more IS NOT NULL THEN PERFORM retention._purge_cron_log(); END IF;
    COMMIT AND CHAIN;
    IF v_failure IS NOT NULL THEN
        RAISE EXCEPTION '%', v_failure USING ERRCODE = v_sqlstate,
            HINT = 'SELECT * FROM retention.status shows every policy.';
    END IF;
END $procedure$;
