-- Purges the logs after the runs of a call, in transactions of its own; what fails is noted in the runs, which are
-- over. No operator and no unqualified name, as in _drive.
CREATE OR REPLACE PROCEDURE retention._purge(p_runs pg_catalog.int8[])
LANGUAGE plpgsql SECURITY INVOKER AS $procedure$
DECLARE v_more pg_catalog.bool; v_message pg_catalog.text;
BEGIN
    LOOP
        BEGIN
            v_more := retention._purge_log(p_runs);
        EXCEPTION WHEN query_canceled OR OTHERS THEN
            GET STACKED DIAGNOSTICS v_message = MESSAGE_TEXT;
            v_more := false;
            PERFORM retention._note_failure(p_runs, 'the run log was not purged', v_message);
        END;
        COMMIT AND CHAIN;
        EXIT WHEN v_more IS NOT TRUE;
    END LOOP;
    BEGIN
        IF v_more IS NOT NULL THEN PERFORM retention._purge_cron_log(); END IF;
    EXCEPTION WHEN query_canceled OR OTHERS THEN
        GET STACKED DIAGNOSTICS v_message = MESSAGE_TEXT;
        PERFORM retention._note_failure(p_runs, 'cron.job_run_details was not purged', v_message);
    END;
    COMMIT AND CHAIN;
END $procedure$;
