-- Runs one policy or report. as_of may lie in the past; scope takes only the rows with these values; older_than is a
-- window for this run; dry_run counts and touches nothing. Commits after every batch, so not in a transaction block;
-- raises after its last COMMIT when it failed or tripped.
--   CALL retention.run('signals', scope => '{"chain_id": 1}', dry_run => true);
CREATE OR REPLACE PROCEDURE retention.run(
    policy pg_catalog.text, as_of pg_catalog.timestamptz DEFAULT NULL, reason pg_catalog.text DEFAULT NULL,
    INOUT outcome pg_catalog.text DEFAULT NULL, older_than pg_catalog.interval DEFAULT NULL,
    scope pg_catalog.jsonb DEFAULT NULL, dry_run pg_catalog.bool DEFAULT false)
LANGUAGE plpgsql SECURITY INVOKER AS $procedure$
#variable_conflict use_variable
DECLARE v_message pg_catalog.text; v_run pg_catalog.int8; v_end pg_catalog.record;
BEGIN
    BEGIN
        COMMIT;  -- never works in a block like this, but says whether it would outside
    EXCEPTION WHEN invalid_transaction_termination THEN
        GET STACKED DIAGNOSTICS v_message = MESSAGE_TEXT;
    END;
    PERFORM retention._refuse_transaction(v_message);
    COMMIT;  -- before any lock
    SET TRANSACTION ISOLATION LEVEL READ COMMITTED, READ WRITE;
    CALL retention._drive((policy, as_of, reason, NULL, older_than, scope, dry_run, NULL)::retention.request, v_run);
    v_end := retention._outcome(v_run);
    COMMIT AND CHAIN;
    CALL retention._purge(ARRAY[v_run]);
    CALL retention._bell(ARRAY[v_run]);
    outcome := v_end.summary;
    IF v_end.bad THEN
        RAISE EXCEPTION '%', v_end.summary USING ERRCODE = v_end.sqlstate,
            HINT = 'SELECT * FROM retention.status shows every policy.';
    END IF;
END $procedure$;
