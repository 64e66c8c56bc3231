-- _dry_run runs the policies of a call one after the other, as the call would, and returns the
-- ended runs. It rolls back everything that the runs did, except for numbers taken from sequences.
-- It does not wait for a table of another run, for replicas, or for the archiver. Raises 25001 in a
-- transaction that has written, and 25006 in a READ ONLY transaction or on a standby.
-- Locks: those of the batches, until it returns. If another session waits for one of them, the dry
-- run ends after the batch. Its run, and those of the policies after it, then end "more", and their
-- messages say that the numbers are not complete.
CREATE OR REPLACE FUNCTION retention._dry_run(p_policies text[], p_request retention.request, p_strict boolean)
RETURNS retention.run[]
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET jit = off SET row_security = off
SET gin_fuzzy_search_limit = 0 AS $function$
DECLARE
    v_request retention.request := p_request; v_policies text[]; v_step retention.step; v_policy retention.policy;
    v_ended retention.run; v_runs retention.run[] := '{}'; v_done boolean; v_waiting integer;
BEGIN
    IF current_setting('transaction_read_only')::boolean THEN
        RAISE read_only_sql_transaction USING
            MESSAGE = 'a dry run cannot run in a read-only transaction, because it writes before it rolls back',
            HINT = format('SELECT * FROM retention.preview(%L) shows what is due. It only reads.', p_policies[1]);
    END IF;
    PERFORM retention._refuse_after_write();
    v_request.dry_run := true;
    BEGIN
        v_policies := retention._expand_instances(p_policies);
        FOR v_place IN 1 .. cardinality(v_policies) LOOP
            v_request.policy := v_policies[v_place];
            IF v_waiting IS NULL THEN
                v_step := retention._begin(v_request);
            ELSE
                v_step := retention._finish(retention._new_run(v_policy, v_request, clock_timestamp()), 'more', NULL,
                    format('not counted, because session %s waited for a lock of the dry run', v_waiting));
            END IF;
            BEGIN
                WHILE v_step.going LOOP
                    v_waiting := retention._waiting_session();
                    v_step := CASE WHEN v_waiting IS NULL THEN retention._run_step(v_step.run_id)
                        ELSE retention._finish(v_step.run_id, 'more', NULL, format(
                            'at least, because session %s waited for a lock of the dry run', v_waiting)) END;
                END LOOP;
            EXCEPTION WHEN OTHERS OR assert_failure THEN
                v_step := retention._fail(v_step.run_id, SQLSTATE, SQLERRM);
            END;
            SELECT * INTO v_ended FROM retention.run r WHERE r.id = v_step.run_id;
            v_runs := v_runs || v_ended;
            EXIT WHEN (retention._outcome(v_ended.id, v_policies, v_place, p_strict)).halt;
        END LOOP;
        v_done := true;
        RAISE SQLSTATE 'PR009';
    EXCEPTION WHEN OTHERS OR assert_failure OR query_canceled THEN
        PERFORM retention._discard_effects();
        IF v_done IS NULL OR SQLSTATE OPERATOR(pg_catalog.<>) 'PR009' THEN RAISE; END IF;
    END;
    RETURN v_runs;
END $function$;
