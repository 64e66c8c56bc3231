-- Runs the policies and reports of a job in order, with one as_of and the job's scope; pg_cron calls it. One that fails
-- stops the next only where the job is strict, a cancel always. Raises after its last COMMIT when any failed, tripped
-- or was not run.
CREATE OR REPLACE PROCEDURE retention.run_job(
    job pg_catalog.text, as_of pg_catalog.timestamptz DEFAULT NULL, reason pg_catalog.text DEFAULT NULL,
    INOUT outcome pg_catalog.text DEFAULT NULL, dry_run pg_catalog.bool DEFAULT false)
LANGUAGE plpgsql SECURITY INVOKER AS $procedure$
#variable_conflict use_variable
DECLARE
    v_message pg_catalog.text; v_job pg_catalog.record; v_run pg_catalog.int8; v_runs pg_catalog.int8[];
    v_end pg_catalog.record; v_failure pg_catalog.text; v_sqlstate pg_catalog.text;
BEGIN
    BEGIN
        COMMIT;  -- never works in a block like this, but says whether it would outside
    EXCEPTION WHEN invalid_transaction_termination THEN
        GET STACKED DIAGNOSTICS v_message = MESSAGE_TEXT;
    END;
    PERFORM retention._refuse_transaction(v_message);
    COMMIT;  -- before any lock
    SET TRANSACTION ISOLATION LEVEL READ COMMITTED, READ WRITE;
    v_job := retention._job(job, as_of);
    COMMIT AND CHAIN;
    FOR v_place IN 1 .. pg_catalog.cardinality(v_job.policies) LOOP
        CALL retention._drive(
            (v_job.policies[v_place], v_job.as_of, reason, job, NULL, v_job.scope, dry_run, NULL)::retention.request,
            v_run);
        v_runs := pg_catalog.array_append(v_runs, v_run);
        v_end := retention._job_outcome(v_run, v_job.policies, v_place, v_job.is_strict);
        COMMIT AND CHAIN;
        outcome := pg_catalog.concat_ws(E'\n', outcome, v_end.summary);
        IF v_end.failure IS NOT NULL THEN
            v_failure := pg_catalog.concat_ws(E'\n', v_failure, v_end.failure); v_sqlstate := v_end.sqlstate;
        END IF;
        EXIT WHEN v_end.halt;
    END LOOP;
    CALL retention._purge(v_runs);
    CALL retention._bell(v_runs);
    IF v_failure IS NOT NULL THEN
        RAISE EXCEPTION '%', v_failure USING ERRCODE = v_sqlstate,
            HINT = 'SELECT * FROM retention.status shows every policy.';
    END IF;
END $procedure$;
